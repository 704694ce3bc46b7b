/** ECDSA keys of signers that write r and s side by side (interop 2.1): an encoding that is configured with the key, never guessed. */
import { derOf } from '../crypto/ecdsa.ts';
import type { PublicKey } from '../crypto/signature.ts';

/** The same key, for signatures of 64 bytes r and s. */
export function rawEcdsa(key: PublicKey): PublicKey {
  return {
    ...key,
    verify: (signature, message) => signature.length === 64 && key.verify(derOf(signature), message),
  };
}
