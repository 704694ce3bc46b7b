/** Containers, envelopes and statements of `interop/`. */
import type { Case, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

type Row = { readonly [name: string]: Json };

const base64OfJson = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64');

const zip: Suite = {
  name: 'interop/zip',
  folder: 'interop',
  *cases(folder) {
    for (const row of (folder.json('zip.json') as { readonly cases: readonly Row[] }).cases) {
      const archive = row['zip'] as string;
      yield {
        name: String(row['id']),
        op: 'bundle/read-zip',
        params: { zip_b64: archive },
        expect: (answer) => {
          const { gives, again_b64: again } = answer as Row;
          if (gives !== row['gives']) return `expected ${String(row['gives'])}, got ${String(gives)}`;
          return gives === 'ok' && again !== archive ? 'writing the entries again gives other bytes' : undefined;
        },
      };
    }
  },
};

interface DsseFile {
  readonly keys: { readonly [label: string]: { readonly public: string; readonly keyid: string } };
  readonly pae: readonly { readonly type: string; readonly body: string; readonly pae: string }[];
  readonly literal: Row;
  readonly envelopes?: readonly Row[];
  readonly cases?: readonly Row[];
}

const dsse: Suite = {
  name: 'interop/dsse',
  folder: 'interop',
  *cases(folder) {
    const file = folder.json('dsse.json') as DsseFile;
    for (const [i, { type, body, pae }] of file.pae.entries())
      yield {
        name: `pae ${i}`,
        op: 'bundle/dsse-pae',
        params: { type, body_b64: body },
        expect: equals({ pae_b64: pae }),
      };
    for (const [label, key] of Object.entries(file.keys))
      yield {
        name: `key id of ${label}`,
        op: 'bundle/dsse-key-id',
        params: { key: `ed25519:${key.public}` },
        expect: equals({ keyid: key.keyid }),
      };
    for (const row of file.cases ?? file.envelopes ?? []) yield envelopeCase(row, file);
    yield* literalCases(file.literal);
  },
};

function envelopeCase(row: Row, file: DsseFile): Case {
  const labels = row['trusted'] as readonly string[];
  return {
    name: String(row['id']),
    op: 'bundle/dsse-verify',
    params: {
      envelope_b64: row['envelope'] as string,
      keys: labels.map((label) => ({ name: label, key: `ed25519:${file.keys[label]?.public ?? ''}` })),
      threshold: row['threshold'] as number,
      types: row['types'] as readonly string[],
    },
    expect: (answer) => {
      const { gives, payload_b64: payload, accepted } = answer as Row;
      if (gives !== row['gives']) return `expected ${String(row['gives'])}, got ${String(gives)}`;
      if (gives !== 'ok') return undefined;
      if (payload !== row['payload']) return 'another payload';
      return equals((row['acceptedKeys'] as Json) ?? null)(accepted ?? null);
    },
  };
}

/** The vector of the specification itself: r and s side by side, and the same signature in DER, which only the other setting takes. */
function* literalCases(literal: Row): Iterable<Case> {
  const point = ['publicKeyX', 'publicKeyY'].map((name) =>
    BigInt(String(literal[name])).toString(16).padStart(64, '0'),
  );
  const keys = (encoding: string) => [{ name: 'literal', key: `ecdsa-p256:04${point.join('')}`, encoding }];
  const der = {
    ...(literal['envelope'] as Row),
    signatures: [{ sig: literal['signatureDer'] as Json }],
  };
  for (const [name, envelope, encoding, gives] of [
    ['literal', literal['envelope'] as Json, 'raw', 'ok'],
    ['literal as DER', der, 'der', 'ok'],
    ['literal, r and s where DER is expected', literal['envelope'] as Json, 'der', 'dsse-threshold'],
    ['literal as DER where r and s are expected', der, 'raw', 'dsse-threshold'],
  ] as const)
    yield {
      name,
      op: 'bundle/dsse-verify',
      params: {
        envelope_b64: base64OfJson(envelope),
        keys: keys(encoding),
        threshold: 1,
        types: [literal['payloadType'] as string],
      },
      expect: (answer) =>
        (answer as Row)['gives'] === gives ? undefined : `expected ${gives}, got ${String((answer as Row)['gives'])}`,
    };
}

interface StatementsFile {
  readonly statements: readonly Row[];
  readonly vsa: readonly Row[];
  readonly vsaStatement: Json;
  readonly auditReport: {
    readonly statement: Row;
    readonly serialized: string;
    readonly sha256: string;
    readonly envelope: Json;
  };
}

const gives = (expected: Json | undefined) => (answer: Json) =>
  (answer as Row)['gives'] === expected
    ? undefined
    : `expected ${String(expected)}, got ${String((answer as Row)['gives'])}`;

const statements: Suite = {
  name: 'interop/statements',
  folder: 'interop',
  *cases(folder) {
    const file = folder.json('statements.json') as StatementsFile;
    for (const row of file.statements)
      yield {
        name: String(row['id']),
        op: 'bundle/statement-match',
        params: {
          statement_b64: base64OfJson(row['statement'] as Json),
          predicate_type: row['expectedPredicateType'] as string,
          digests: row['artifactDigests'] as Json,
        },
        expect: gives(row['gives']),
      };
    for (const row of file.vsa)
      yield {
        name: `vsa ${String(row['id'])}`,
        op: 'bundle/vsa',
        params: {
          statement_b64: base64OfJson({ ...(file.vsaStatement as Row), predicate: row['predicate'] as Json }),
          expected: row['expected'] as Json,
        },
        expect: gives(row['gives']),
      };
    yield {
      name: 'audit report in its envelope',
      op: 'bundle/dsse-verify',
      params: {
        envelope_b64: base64OfJson(file.auditReport.envelope),
        keys: Object.entries((folder.json('dsse.json') as DsseFile).keys).map(([name, key]) => ({
          name,
          key: `ed25519:${key.public}`,
        })),
        threshold: 1,
        types: ['application/vnd.in-toto+json'],
      },
      expect: (answer) =>
        (answer as Row)['payload_b64'] === file.auditReport.serialized ? undefined : 'another payload, or no signature',
    };
    yield {
      name: 'audit report',
      op: 'bundle/report-predicate',
      params: { statement_b64: base64OfJson(file.auditReport.statement) },
      expect: equals({ gives: 'ok', sha256: file.auditReport.sha256 }),
    };
  },
};

export const suites: readonly Suite[] = [zip, dsse, statements];
