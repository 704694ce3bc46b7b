/**
 * What the person who verifies trusts: one file, `audit.trust.v1`. This module owns the envelope, keys, approver keys, requirements and the
 * merging of several files; sections that belong to a module above (policies, certificate policies, anchors, rosters) are kept as the
 * JSON values they are and decoded by their owner.
 */
import type { PublicKey } from '../crypto/signature.ts';
import type { JsonNode } from '../json/tree.ts';
import type { Instant } from '../time/instant.ts';

/** What a key may sign: heads and seals of a log, grants, anchored entries, cosignatures, bundles, external checkers' certificates. */
export type Role = 'log' | 'issuer' | 'anchor' | 'witness' | 'bundle' | 'checker';

export interface TrustedKey {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly key: PublicKey;
  /** Inclusive start and exclusive end of validity. */
  readonly from?: Instant;
  readonly until?: Instant;
}

export interface TrustedApprover {
  readonly approver: string;
  readonly key: PublicKey;
}

/** A section kept for its owner, with the file's bytes so that raw JSON can be sliced from it. */
export interface Section {
  readonly node: JsonNode;
  readonly bytes: Uint8Array;
  /** The trust file it stands in, for findings. */
  readonly file: string;
}

export interface Trust {
  readonly keys: readonly TrustedKey[];
  readonly approvers: readonly TrustedApprover[];
  /** `gates`, `certificate_policies`, `anchors`, `rosters`, `witness_policies`: section name to each file's value. */
  readonly sections: ReadonlyMap<string, readonly Section[]>;
  /** Claims required of a kind: kind to claim names. */
  readonly requirements: ReadonlyMap<string, readonly string[]>;
}

/** Trust in nothing: what a verification starts from when no file is given. */
export const NO_TRUST: Trust = { keys: [], approvers: [], sections: new Map(), requirements: new Map() };

/** The keys that may sign in a role. */
export function keysFor(trust: Trust, role: Role): readonly TrustedKey[] {
  return trust.keys.filter((key) => key.roles.includes(role));
}
