/** Signature schemes and keys: Wycheproof, and the groups of `bide/audit-vectors.json` that are about keys. */
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

interface WycheproofTest {
  readonly tcId: number;
  readonly comment: string;
  readonly msg: string;
  readonly sig: string;
  readonly ctx?: string;
  readonly flags: readonly string[];
  readonly result: 'valid' | 'invalid' | 'acceptable';
}
interface WycheproofGroup {
  readonly publicKey: string | { readonly pk?: string; readonly uncompressed?: string };
  readonly tests: readonly WycheproofTest[];
}

const b64 = (digits: string): string =>
  btoa((digits.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(''));

function wycheproof(name: string, file: string, scheme: string, op: string): Suite {
  return {
    name: `wycheproof/${name}`,
    folder: 'wycheproof',
    *cases(folder: Folder): Iterable<Case> {
      const { testGroups } = folder.json(file) as { readonly testGroups: readonly WycheproofGroup[] };
      for (const [g, { publicKey, tests }] of testGroups.entries()) {
        const key = typeof publicKey === 'string' ? publicKey : (publicKey.pk ?? publicKey.uncompressed ?? '');
        for (const test of tests) {
          yield {
            name: `${g}/${test.tcId} ${test.comment || test.flags.join(' ')}`,
            op,
            params: {
              scheme,
              key_b64: b64(key),
              signature_b64: b64(test.sig),
              message_b64: b64(test.msg),
              context_b64: b64(test.ctx ?? ''),
            },
            expect: equals(test.result === 'valid'),
            // The files of today hold none; a later one would be listed here with what it is about.
            ...(test.result === 'acceptable' ? { skip: `left open by Wycheproof: ${test.flags.join(', ')}` } : {}),
          };
        }
      }
    },
  };
}

function audit(
  name: string,
  cases: (vectors: { readonly public: Group; readonly computed: Group }) => Iterable<Case>,
): Suite {
  return {
    name: `bide/audit/${name}`,
    folder: 'bide',
    cases: (folder) => cases(folder.json('audit-vectors.json') as { readonly public: Group; readonly computed: Group }),
  };
}

type Group = { readonly [name: string]: { readonly [name: string]: Json } };
type KeyRow = { readonly hex: string; readonly usable: boolean; readonly label?: string };
type NamedKey = {
  readonly alg: string;
  readonly public_key_hex: string;
  readonly public_key_text: string;
  readonly key_id: string;
  readonly seed_hex: string;
};

function keyCases(rows: readonly KeyRow[]): Case[] {
  return rows.map((row, i) => ({
    name: `${i} ${row.label ?? row.hex}`,
    op: 'crypto/key',
    params: { scheme: 'ed25519', key_hex: row.hex },
    expect: (answer) => equals(row.usable)((answer as { readonly usable: boolean }).usable),
  }));
}

export const suites: readonly Suite[] = [
  wycheproof('ed25519', 'ed25519_test.json', 'ed25519', 'crypto/verify'),
  wycheproof('ecdsa-p256', 'ecdsa_secp256r1_sha256_test.json', 'ecdsa-p256', 'crypto/verify'),
  wycheproof('ed25519 portable', 'ed25519_test.json', 'ed25519', 'crypto/verify-portable'),
  wycheproof('ecdsa-p256 portable', 'ecdsa_secp256r1_sha256_test.json', 'ecdsa-p256', 'crypto/verify-portable'),
  wycheproof('ml-dsa-65', 'mldsa_65_verify_test.json', 'ml-dsa-65', 'crypto/verify-ml-dsa-65'),
  audit('ed25519-keys', (vectors) => keyCases(vectors.public['ed25519_keys']?.['keys'] as unknown as KeyRow[])),
  audit('ed25519-keys-edge', (vectors) =>
    keyCases(vectors.public['ed25519_keys_y_edge']?.['keys'] as unknown as KeyRow[]),
  ),
  audit('key-texts', function* ({ computed }) {
    for (const [name, value] of Object.entries(computed['keys'] ?? {})) {
      const key = value as unknown as NamedKey;
      for (const [form, spelled] of [
        ['text', key.public_key_text],
        ['bare', key.public_key_hex],
      ] as const) {
        yield {
          name: `${name} ${form}`,
          op: 'crypto/key-text',
          params: { text: spelled },
          expect: equals({ usable: true, key_ids: [key.key_id] }),
        };
      }
    }
    const ecdsa = computed['head_ecdsa_p256 (encodings inferred)'] as unknown as NamedKey;
    yield {
      name: 'ecdsa-p256',
      op: 'crypto/key-text',
      params: { text: ecdsa.public_key_text },
      expect: equals({ usable: true, key_ids: [ecdsa.key_id] }),
    };
  }),
  audit('signatures', function* ({ computed }) {
    const signed = [
      ['ecdsa-p256', 'head_ecdsa_p256 (encodings inferred)'],
      ['ml-dsa-65', 'head_ml_dsa_65'],
      ['ed25519+ml-dsa-65', 'head_hybrid'],
    ] as const;
    for (const [scheme, group] of signed) {
      const head = computed[group] as unknown as {
        readonly json: string;
        readonly canonical_hex: string;
        readonly public_key_base64?: string;
        readonly public_key_hex?: string;
        readonly seed_hex?: string;
      };
      const signature = (JSON.parse(head.json) as { readonly signature: string }).signature;
      const params = {
        scheme,
        key_b64: head.public_key_base64 ?? b64(head.public_key_hex ?? ''),
        signature_b64: signature,
        message_b64: b64(head.canonical_hex),
      };
      yield { name: `${scheme} head`, op: 'crypto/verify', params, expect: equals(true) };
      yield {
        name: `${scheme} head, message changed`,
        op: 'crypto/verify',
        params: { ...params, message_b64: b64(`${head.canonical_hex}00`) },
        expect: equals(false),
      };
      if (head.seed_hex !== undefined)
        yield {
          name: `${scheme} head signed again`,
          op: 'crypto/sign',
          params: { scheme, private_b64: b64(head.seed_hex), message_b64: b64(head.canonical_hex) },
          expect: equals(signature),
        };
    }
  }),
];
