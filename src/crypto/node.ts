/** `node:crypto` where the program runs in Node, found without an import so that browsers load the same files; undefined elsewhere. */
export const nodeCrypto = globalThis.process?.getBuiltinModule?.('node:crypto') as
  | typeof import('node:crypto')
  | undefined;
