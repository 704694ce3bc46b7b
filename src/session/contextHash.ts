/**
 * A key over the context along a path, independent of times and provenance: two sessions whose contributing entries are the same share
 * it. Session-format 7.7. It is not the request hash.
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { canonicalize } from '../json/canonical.ts';
import { arrayNode, nullNode, stringNode, treeOf, withMembers } from './raw.ts';
import type { EntryIndex, Session } from './session.ts';

/** Context hash of the universal root: the hash of `null`. */
export const ROOT_CONTEXT = hashOf(utf8('null'));

const ENVELOPE = ['type', 'id', 'parent', 'parents', 'ts'];

/** Members that are provenance of one run and so no part of the key; Appendix B, 10 for those of 0.13 and 0.14. */
const PROVENANCE = ['legacy_id', 'normalised', 'redacted'];
const LEFT_OUT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['item', new Set([...ENVELOPE, ...PROVENANCE, 'response', 'source', 'queued_from', 'from_link', 'failed'])],
  ['config', new Set([...ENVELOPE, ...PROVENANCE])],
  ['compaction', new Set([...ENVELOPE, ...PROVENANCE])],
  ['branch_summary', new Set([...ENVELOPE, ...PROVENANCE, 'from'])],
]);

/** The context hash at each entry of a path of usable entries, first entry first. */
export function contextHashes(session: Session, path: readonly EntryIndex[]): readonly string[] {
  const hashes: string[] = [];
  let context = ROOT_CONTEXT;
  const above = new Map<EntryIndex, number>();
  path.forEach((index, place) => {
    const kind = session.kind(index);
    const without = LEFT_OUT.get(kind);
    if (without !== undefined) {
      const body = treeOf({ bytes: session.bytes(index) });
      if (body.kind !== 'object') throw new RangeError('an entry is an object');
      const kept = withMembers(body, ({ name, value }) => {
        if (without.has(name)) return undefined;
        if (kind !== 'compaction' || name !== 'first_kept') return value;
        const named = value.kind === 'string' ? session.find(value.value) : undefined;
        const at = named === undefined ? undefined : above.get(named);
        if (named === undefined || at === undefined) return nullNode();
        return arrayNode([stringNode(hashes[at] as string), stringNode(session.kind(named))]);
      });
      const parts = [context, kind, hashOf(canonicalize(kept))];
      context = hashOf(utf8(JSON.stringify(parts)));
    }
    hashes.push(context);
    above.set(index, place);
  });
  return hashes;
}

/** The context hash at an entry; of `ROOT`, the hash of nothing. The path to it must be usable. */
export function contextHash(session: Session, entry: EntryIndex): string {
  return contextHashes(session, session.path(entry)).at(-1) ?? ROOT_CONTEXT;
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${hex(sha256(bytes))}`;
}
