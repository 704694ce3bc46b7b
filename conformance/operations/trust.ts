/** Questions about trust files, answered by `src/trust`. */
import { utf8 } from '../../src/bytes/encoding.ts';
import { readTrust } from '../../src/trust/read.ts';
import type { Operation } from '../suite.ts';

export const operations: Record<string, Operation> = {
  /** Files as their text, merged in their order; the codes of what is wrong, in the order found. */
  'trust/read': async (params) => {
    const files = Array.isArray(params['files']) ? params['files'] : [];
    const { findings } = await readTrust(files.map((text, i) => ({ name: `file ${i}`, bytes: utf8(String(text)) })));
    return { codes: findings.map(({ code }) => code) };
  },
};
