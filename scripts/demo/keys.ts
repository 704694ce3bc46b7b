/** The people and machines of the demonstration and their keys, made from fixed seeds: the same demonstration every time. For show only. */
import { utf8 } from '../../src/bytes/encoding.ts';
import { formatPrivateKey, formatPublicKey, importPrivateKey, isUnusable } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';

export interface Actor {
  readonly key: PrivateKey;
  /** Text of the private key, as "audit keys gen" writes it. */
  readonly secret: string;
  readonly public: string;
}

async function actor(name: string): Promise<Actor> {
  const seed = sha256(utf8(`audit demonstration: ${name}`)).slice();
  const key = await importPrivateKey('ed25519', seed);
  if (isUnusable(key)) throw new Error(key.unusable);
  return { key, secret: formatPrivateKey('ed25519', seed), public: formatPublicKey(key.publicKey) };
}

export const APPROVERS = ['anna', 'bela', 'chiara'] as const;

export interface Cast {
  readonly log: Actor;
  readonly maker: Actor;
  readonly approvers: ReadonlyMap<string, Actor>;
}

export async function cast(): Promise<Cast> {
  const approvers = new Map<string, Actor>();
  for (const name of APPROVERS) approvers.set(name, await actor(name));
  return { log: await actor('log'), maker: await actor('maker'), approvers };
}

/** The trust file of somebody who knows these keys: the log's, the maker's, the approvers', and the rule for refunds. */
export function trustFile(
  { log, maker, approvers }: Cast,
  anchors: readonly unknown[] = [],
  more: object = {},
): string {
  const file = {
    format: 'audit.trust.v1',
    keys: [
      { name: 'log of the shop', roles: ['log'], key: log.public },
      { name: 'audit team of the shop', roles: ['bundle'], key: maker.public },
    ],
    approvers: Object.fromEntries([...approvers].map(([name, { public: key }]) => [name, key])),
    gates: [{ run: 'refund/*', tool: 'pay_*', policy: { need: 2, approvers: APPROVERS } }],
    ...(anchors.length === 0 ? {} : { anchors }),
    ...more,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
