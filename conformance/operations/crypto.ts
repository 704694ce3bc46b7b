/** Questions about keys and signatures, answered by `src/crypto`. */
import { base64, unbase64, unhex } from '../../src/bytes/encoding.ts';
import { ecdsaCheck, portableEcdsaCheck } from '../../src/crypto/ecdsa.ts';
import { portableEd25519Check, usableEd25519Point } from '../../src/crypto/ed25519.ts';
import { importPrivateKey, importPublicKey, isScheme, isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { SchemeName } from '../../src/crypto/signature.ts';
import type { Json, Operation } from '../suite.ts';

const hexOf = (value: Json | undefined): Uint8Array =>
  unhex(typeof value === 'string' ? value : '') ?? new Uint8Array();
const b64Of = (value: Json | undefined): Uint8Array =>
  unbase64(typeof value === 'string' ? value : '') ?? new Uint8Array();

function schemeOf(value: Json | undefined): SchemeName {
  if (typeof value === 'string' && isScheme(value)) return value;
  throw new RangeError(`${JSON.stringify(value)} is no signature scheme`);
}

export const operations: Record<string, Operation> = {
  /** Whether key bytes are usable, and the identities that they have. */
  'crypto/key': async (params) => {
    const key = await importPublicKey(schemeOf(params['scheme']), hexOf(params['key_hex']));
    return isUnusable(key) ? { usable: false, key_ids: [] } : { usable: true, key_ids: key.identities };
  },
  'crypto/key-text': async (params) => {
    const key = await parsePublicKey(typeof params['text'] === 'string' ? params['text'] : '');
    return isUnusable(key) ? { usable: false, key_ids: [] } : { usable: true, key_ids: key.identities };
  },
  /** Whether a signature is good by audit spec 0.8; an unusable key verifies nothing. */
  'crypto/verify': async (params) => {
    const key = await importPublicKey(schemeOf(params['scheme']), b64Of(params['key_b64']));
    return !isUnusable(key) && key.verify(b64Of(params['signature_b64']), b64Of(params['message_b64']));
  },
  /** The same by the implementation that browsers use, where there are two. */
  'crypto/verify-portable': (params) => {
    const key = b64Of(params['key_b64']);
    const [signature, message] = [b64Of(params['signature_b64']), b64Of(params['message_b64'])];
    if (schemeOf(params['scheme']) === 'ecdsa-p256') {
      const usable = ecdsaCheck(key);
      return typeof usable === 'function' && portableEcdsaCheck(key)(signature, message);
    }
    const point = usableEd25519Point(key);
    return !('unusable' in point) && portableEd25519Check(key, point)(signature, message);
  },
  /** The primitive under a context of the caller's: the suites of others use other contexts than the scheme's. */
  'crypto/verify-ml-dsa-65': async (params) => {
    const { verifyMlDsa65 } = await import('../../src/crypto/mldsa.ts');
    const [key, signature, message, context] = ['key_b64', 'signature_b64', 'message_b64', 'context_b64'].map((name) =>
      b64Of(params[name]),
    ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    return verifyMlDsa65(key, signature, message, context);
  },
  /** The deterministic signature under private bytes. */
  'crypto/sign': async (params) => {
    const key = await importPrivateKey(schemeOf(params['scheme']), b64Of(params['private_b64']));
    return isUnusable(key) ? null : base64(key.sign(b64Of(params['message_b64'])));
  },
};
