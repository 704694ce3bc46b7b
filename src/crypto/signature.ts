/**
 * The signature schemes of the audit spec, 0.8, behind one type. A key is imported once (asynchronously, since a heavy scheme is loaded
 * only when a key needs it) and then verifies synchronously, so that no rule has to await.
 */

export type SchemeName = 'ed25519' | 'ecdsa-p256' | 'ml-dsa-65' | 'ed25519+ml-dsa-65';

export interface PublicKey {
  readonly scheme: SchemeName;
  /** The public key bytes of audit spec 0.8. */
  readonly bytes: Uint8Array;
  /** Key identities: `<scheme>:<hex of SHA-256 of the key>`; two for a hybrid. */
  readonly identities: readonly string[];
  /** Whether the signature is valid by the exact acceptance rules of audit spec 0.8. Malformed signatures are false, never an error. */
  verify(signature: Uint8Array, message: Uint8Array): boolean;
}

export interface PrivateKey {
  readonly scheme: SchemeName;
  readonly publicKey: PublicKey;
  /** Deterministic for Ed25519 and ML-DSA; ECDSA by RFC 6979. */
  sign(message: Uint8Array): Uint8Array;
}

/** Why a key text or key bytes cannot be used (audit spec 0.8: status 4). */
export interface UnusableKey {
  readonly unusable: string;
}
