/**
 * Media that a session keeps beside itself (session-format 1.13). Ids and request hashes cover the names, which are hashes, and never the bytes:
 * those are held against their names here, as far as the files are given (`--media-dir`).
 */
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { catalogue } from '../session/catalogueRecords.ts';
import { sessionBlobs } from '../session/media.ts';
import type { Session } from '../session/session.ts';
import { claimOf } from './artifact.ts';
import { digest } from './digest.ts';
import type { Input, VerifyContext } from './kind.ts';

export interface MediaOfSession {
  readonly claims: readonly Claim[];
  readonly missing: readonly Missing[];
  readonly findings: readonly Finding[];
  readonly notSupplied: readonly string[];
}

const NONE: MediaOfSession = { claims: [], missing: [], findings: [], notSupplied: [] };

/**
 * Holds the media files given against the names that a session has for them, whatever its header says: no id covers that. A session that names
 * none says nothing of them.
 */
export function sessionMedia(session: Session, namesMedia: boolean, { media = [] }: VerifyContext): MediaOfSession {
  if (!namesMedia) return NONE;
  const named = [...sessionBlobs(session)];
  const given = filesOf(media);
  const absent: string[] = [];
  const findings: Finding[] = [];
  for (const blob of named) {
    const hash = blob.slice('sha256:'.length);
    if (given.hashes.has(hash)) continue;
    const other = given.byName.get(hash);
    if (other === undefined) absent.push(blob);
    else
      findings.push(
        catalogue.find('session/blob-mismatch', `the media file ${other.path} does not hold what the session names`, {
          where: { part: other.path },
          expected: blob,
          actual: `sha256:${other.sha256}`,
        }),
      );
  }
  const held = named.length - absent.length - findings.length;
  const verdict: Verdict = findings.length > 0 ? 'failed' : absent.length > 0 ? 'undecided' : 'verified';
  const detail = {
    verified: 'each file has the bytes that its name in the session is the hash of',
    failed: 'a file given under the name of one holds other bytes',
    undecided: `ids and request hashes cover the names of media kept beside the session; ${absent.length === 1 ? '1 file was' : `${absent.length} files were`} not given`,
  }[verdict];
  const unsaid =
    session.header.media === 'sidecar' ? '' : '; the header does not say that media are kept beside the session';
  const more = absent.length > 1 ? `, and ${absent.length - 1} more` : '';
  return {
    claims: [claimOf('media', verdict, `${held} of ${counted(named.length, 'media file')}`, `${detail}${unsaid}`)],
    missing:
      verdict === 'undecided'
        ? [{ claim: 'media', item: `the media file ${absent[0]}${more}`, who: 'whoever kept the session', from: null }]
        : [],
    findings,
    notSupplied: absent.length === 0 ? [] : [`${absent.length} of the media files (--media-dir)`],
  };
}

interface Files {
  /** SHA-256 of each, lowercase hexadecimal. */
  readonly hashes: ReadonlySet<string>;
  /** Those whose name is a hash, with an ending or without. */
  readonly byName: ReadonlyMap<string, { readonly path: string; readonly sha256: string }>;
}

/** Read once for all sessions of a run. */
const FILES = new WeakMap<readonly Input[], Files>();

/** A second file of one name stands in a bundle under its number. */
const NAME = /(?:^|[/\\])(?:\d+-)?([0-9a-f]{64})(?:\.[^./\\]*)?$/;

function filesOf(inputs: readonly Input[]): Files {
  const known = FILES.get(inputs);
  if (known !== undefined) return known;
  const hashes = new Set<string>();
  const byName = new Map<string, { readonly path: string; readonly sha256: string }>();
  for (const { path, source } of inputs) {
    const sha256 = digest(source);
    source.close?.();
    hashes.add(sha256);
    const name = NAME.exec(path)?.[1];
    if (name !== undefined && !byName.has(name)) byName.set(name, { path, sha256 });
  }
  const files = { hashes, byName };
  FILES.set(inputs, files);
  return files;
}
