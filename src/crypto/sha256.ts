/**
 * SHA-256 (FIPS 180-4): `node:crypto` where the program runs in Node, `@noble/hashes` in a browser. Both give the same interface with
 * states that can be copied; `test/crypto` holds one against the other.
 */
import type { Hash } from 'node:crypto';
import { sha256 as noble } from '@noble/hashes/sha2.js';
import { nodeCrypto } from './node.ts';

/** A running hash. `digest` ends it; `clone` gives an independent copy of the state so far. */
export interface Sha256 {
  update(bytes: Uint8Array): Sha256;
  digest(): Uint8Array;
  clone(): Sha256;
}

export interface Sha256Backend {
  readonly name: string;
  hash(bytes: Uint8Array): Uint8Array;
  create(): Sha256;
}

type NobleState = ReturnType<typeof noble.create>;

class NobleSha256 implements Sha256 {
  readonly #state: NobleState;
  constructor(state: NobleState) {
    this.#state = state;
  }
  update(bytes: Uint8Array): Sha256 {
    this.#state.update(bytes);
    return this;
  }
  digest(): Uint8Array {
    return this.#state.digest();
  }
  clone(): Sha256 {
    return new NobleSha256(this.#state.clone());
  }
}

export const nobleBackend: Sha256Backend = {
  name: 'noble',
  hash: (bytes) => noble(bytes),
  create: () => new NobleSha256(noble.create()),
};

class NodeSha256 implements Sha256 {
  readonly #state: Hash;
  constructor(state: Hash) {
    this.#state = state;
  }
  update(bytes: Uint8Array): Sha256 {
    this.#state.update(bytes);
    return this;
  }
  digest(): Uint8Array {
    return this.#state.digest();
  }
  clone(): Sha256 {
    return new NodeSha256(this.#state.copy());
  }
}

/** Bytes of a text whose characters are bytes: that text and this array cost half of what a `Buffer` does. */
function fromCharacters(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Node's own; undefined elsewhere. */
export const nodeBackend: Sha256Backend | undefined = (() => {
  const node = nodeCrypto;
  if (node === undefined) return undefined;
  return {
    name: 'node',
    hash: (bytes) => fromCharacters(node.hash('sha256', bytes, 'binary')),
    create: () => new NodeSha256(node.createHash('sha256')),
  };
})();

const backend = nodeBackend ?? nobleBackend;

/** SHA-256 of the bytes, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return backend.hash(bytes);
}

/** Starts a hash that is fed piece by piece. */
export function createSha256(): Sha256 {
  return backend.create();
}
