/** `node:crypto` where the program runs in Node, found without an import so that browsers load the same files; undefined elsewhere. */
import type * as NodeCrypto from 'node:crypto';

export const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto') as typeof NodeCrypto | undefined;
