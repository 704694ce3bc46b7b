/** The container of bundles. */

import { readZip, writeZip } from '../../src/bundle/zip.ts';
import { base64, unbase64 } from '../../src/bytes/encoding.ts';
import type { Operation } from '../suite.ts';

export const operations: Record<string, Operation> = {
  /** Reads a canonical ZIP: `ok` with its entries, or the first rule that it breaks; what is read is written again. */
  'bundle/read-zip': ({ zip_b64 }) => {
    const read = readZip(unbase64(String(zip_b64)) ?? new Uint8Array());
    if (!read.ok) return { gives: read.problem.rule };
    return {
      gives: 'ok',
      entries: read.entries.map(({ name, bytes }) => ({ name, bytes: bytes.length })),
      again_b64: base64(writeZip([...read.entries].reverse())),
    };
  },
};
