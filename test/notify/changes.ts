/** Changes to a trail, one record at a time: removed, altered, moved, repeated. */
import { base64 } from '../../src/bytes/encoding.ts';
import { encodeLeaf } from '../../src/notify/leaf.ts';
import type { RecordFields } from '../../src/notify/record.ts';
import { type TrailPort, TrailWriter } from '../../src/notify/write.ts';
import type { Plain } from './judging.ts';
import type { Simulated } from './simulator.ts';
import { TRAIL } from './simulator.ts';

export const CHANGES = ['removed', 'altered', 'moved', 'repeated'] as const;
export type Change = (typeof CHANGES)[number];

/** The leaves after a change of record `at`; undefined where the change leaves them as they are. */
export function changed(leaves: readonly Uint8Array[], at: number, change: Change): readonly Uint8Array[] | undefined {
  const list = [...leaves];
  const leaf = list[at] as Uint8Array;
  switch (change) {
    case 'removed':
      list.splice(at, 1);
      return list;
    case 'repeated':
      list.splice(at + 1, 0, leaf);
      return list;
    case 'moved': {
      if (list.length < 2) return undefined;
      list.splice(at, 1);
      list.splice(at === 0 ? 1 : at - 1, 0, leaf);
      return list;
    }
    case 'altered':
      list[at] = altered(leaf);
      return list;
  }
}

/** The same record three seconds later, under a fresh salt: what somebody who edits a time would write. */
function altered(leaf: Uint8Array): Uint8Array {
  const port: TrailPort = { load: () => [leaf], append: () => false };
  const writer = new TrailWriter(port, TRAIL);
  writer.reload();
  const record = writer.records[0] as RecordFields;
  return encodeLeaf({ ...record, at: record.at + 3_000_000_000n }, new Uint8Array(32).fill(9));
}

/** A simulated trail with other leaves and with heads. */
export function withLeaves(
  { document }: Simulated,
  leaves: readonly Uint8Array[],
  heads: readonly Plain[] = [],
): Plain {
  return { ...document, leaves: leaves.map(base64), ...(heads.length === 0 ? {} : { heads }) };
}
