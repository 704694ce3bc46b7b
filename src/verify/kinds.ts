/**
 * The kinds of input in the order in which they are tried. A row's `looks` is a cheap look at the first bytes, so that the module that
 * reads a kind is loaded only when an input may be of it; that module's own `detect` then decides.
 */
import { sniffAsn1 } from './asn1Sniff.ts';
import type { Input, Kind, KindVerifier, Prefix } from './kind.ts';

const PREFIX_BYTES = 64 * 1024;

interface Row {
  readonly kind: Kind;
  looks(prefix: Prefix): boolean;
  load(): Promise<KindVerifier>;
}

/** A kind whose content is the more particular stands before one that takes more. */
const ROWS: readonly Row[] = [
  {
    kind: 'bundle',
    looks: ({ bytes }) => bytes[0] === 0x50 && bytes[1] === 0x4b,
    load: async () => (await import('./bundle.ts')).verifier,
  },
  {
    kind: 'certificate',
    looks: (prefix) => sniffAsn1(prefix) === 'certificate',
    load: async () => (await import('./certificate.ts')).verifier,
  },
  {
    kind: 'crl',
    looks: (prefix) => sniffAsn1(prefix) === 'crl',
    load: async () => (await import('./crl.ts')).verifier,
  },
  {
    kind: 'ocsp',
    looks: (prefix) => sniffAsn1(prefix) === 'ocsp',
    load: async () => (await import('./ocsp.ts')).verifier,
  },
  {
    kind: 'timestamp',
    looks: (prefix) => sniffAsn1(prefix) === 'timestamp',
    load: async () => (await import('./timestamp.ts')).verifier,
  },
  {
    kind: 'session',
    looks: ({ text, bytes, source }) =>
      source.size === 0 || text.includes('session') || text.includes('"parent"') || bytes.includes(0),
    load: async () => (await import('./session.ts')).verifier,
  },
  {
    kind: 'trail',
    looks: (prefix) =>
      prefix.text.includes('bide-audit.notify-trail') || prefix.text.includes('bide.audit.trail-export'),
    load: async () => (await import('./trail.ts')).verifier,
  },
  {
    kind: 'absence',
    looks: (prefix) => prefix.text.includes('bide.audit.absence.'),
    load: async () => (await import('./absence.ts')).verifier,
  },
  {
    kind: 'event',
    looks: (prefix) => prefix.text.includes('bide.audit.event-inclusion.'),
    load: async () => (await import('./event.ts')).verifier,
  },
  {
    kind: 'current-grant',
    looks: (prefix) => prefix.text.includes('bide.audit.current-grant.'),
    load: async () => (await import('./currentGrant.ts')).verifier,
  },
  {
    kind: 'run-certificate',
    looks: (prefix) => prefix.text.includes('bide.audit.runcert.'),
    load: async () => (await import('./runCertificate.ts')).verifier,
  },
  {
    kind: 'package',
    looks: (prefix) => prefix.text.includes('bide.audit.evidence.'),
    load: async () => (await import('./package.ts')).verifier,
  },
  {
    kind: 'quorum',
    looks: (prefix) => prefix.text.includes('audit.quorum.'),
    load: async () => (await import('./quorum.ts')).verifier,
  },
  {
    kind: 'grants',
    looks: (prefix) => prefix.text.includes('"issuer"'),
    load: async () => (await import('./grants.ts')).verifier,
  },
  {
    kind: 'proof',
    looks: (prefix) => prefix.text.includes('bide.audit.proof.'),
    load: async () => (await import('./proof.ts')).verifier,
  },
  {
    kind: 'journal',
    looks: (prefix) =>
      prefix.text.includes('bide.audit.journal-export') || prefix.text.startsWith('{"name":"@journal"'),
    load: async () => (await import('./journal.ts')).verifier,
  },
  {
    kind: 'head',
    looks: ({ text }) =>
      text.includes('bide.audit.sth.') || text.includes('audit.session-head.') || text.includes('audit.consistency.'),
    load: async () => (await import('./head.ts')).verifier,
  },
  {
    kind: 'session-disclosure',
    looks: ({ text }) => text.includes('audit.session-disclosure.'),
    load: async () => (await import('./sessionDisclosure.ts')).verifier,
  },
  {
    kind: 'equivocation',
    looks: ({ text }) => text.includes('audit.equivocation.'),
    load: async () => (await import('./equivocation.ts')).verifier,
  },
  {
    kind: 'tlog-proof',
    looks: ({ text }) => text.startsWith('c2sp.org/tlog-proof@'),
    load: async () => (await import('./tlogProof.ts')).verifier,
  },
  {
    kind: 'checkpoint',
    looks: ({ text }) => text.includes('\n\n\u2014 '),
    load: async () => (await import('./checkpoint.ts')).verifier,
  },
  {
    kind: 'atif',
    looks: ({ text }) => text.includes('"schema_version"') || text.includes('"step_id"'),
    load: async () => (await import('./atif.ts')).verifier,
  },
];

/** Every kind that is recognised. */
export const KINDS: readonly Kind[] = ROWS.map((row) => row.kind);

/** The verifier of an input's kind, or undefined if no kind takes it. */
export async function detectKind(input: Input): Promise<KindVerifier | undefined> {
  const bytes = prefixOf(input);
  const prefix: Prefix = { bytes, text: new TextDecoder().decode(bytes), path: input.path, source: input.source };
  for (const row of ROWS) {
    if (!row.looks(prefix)) continue;
    const verifier = await row.load();
    if (verifier.detect(prefix)) return verifier;
  }
  return undefined;
}

function prefixOf({ source }: Input): Uint8Array {
  const bytes = new Uint8Array(Math.min(PREFIX_BYTES, source.size));
  let filled = 0;
  while (filled < bytes.length) {
    const piece = source.read(filled, bytes.length - filled);
    if (piece.length === 0) break;
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes.subarray(0, filled);
}
