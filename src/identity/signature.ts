/** The signature of a certificate-bound decision (approver-identity 3.4, 13): version 4 bytes under the leaf's key, by a rule per kind of key. */
import { decisionBytesV4 } from '../approval/decision.ts';
import type { Subject } from '../approval/subject.ts';
import { CERTIFICATE_ALG } from '../approval/verifier.ts';
import { unhex } from '../bytes/encoding.ts';
import type { JournalRecord } from '../journal/record.ts';
import type { SignatureAlgorithm, SubjectKey } from '../pki/algorithm.ts';
import type { Certificate } from '../pki/certificate.ts';
import { verifySignature } from '../pki/signature.ts';
import type { Readings } from './readings.ts';
import type { Cause } from './reasons.ts';

/** How a key of this kind signs decisions, and the scheme's name under the reading `alg=leaf`; undefined for keys that do not count. */
function schemeOf(key: SubjectKey, readings: Readings): { name: string; algorithm: SignatureAlgorithm } | undefined {
  switch (key.kind) {
    case 'ed25519':
      return { name: 'ed25519', algorithm: { kind: 'ed25519' } };
    case 'ml-dsa-65':
      return { name: 'ml-dsa-65', algorithm: { kind: 'ml-dsa-65' } };
    case 'ec': {
      const hash = ({ 'P-256': 'sha256', 'P-384': 'sha384', 'P-521': 'sha512' } as const)[key.curve];
      return { name: `ecdsa-${key.curve.toLowerCase().replace('-', '')}`, algorithm: { kind: 'ecdsa', hash } };
    }
    case 'rsa':
      return {
        name: 'rsa',
        algorithm:
          readings.rsa === 'pss'
            ? { kind: 'rsa-pss', hash: 'sha256', saltLength: 32 }
            : { kind: 'rsa-pkcs1', hash: 'sha256' },
      };
    default:
      return undefined;
  }
}

/** Section 13. */
export function signatureCauses(
  subject: Subject,
  record: JournalRecord,
  leaf: Certificate,
  readings: Readings,
): readonly Cause[] {
  const scheme = schemeOf(leaf.publicKey.key, readings);
  // 1.
  const wanted = readings.alg === 'leaf' ? scheme?.name : CERTIFICATE_ALG;
  const causes: Cause[] = [];
  if (record.approverAlg !== wanted)
    causes.push({ reason: 'alg', detail: `the record names another scheme than ${wanted ?? 'one of its key'}` });
  // 2.
  const { approver, approved, decidedAt, signature } = record;
  const leafHash = unhex(leaf.sha256);
  const good =
    scheme !== undefined &&
    signature !== undefined &&
    leafHash !== undefined &&
    verifySignature(
      leaf.publicKey.key,
      scheme.algorithm,
      decisionBytesV4(subject, { approver, approved, decidedAt }, leafHash),
      signature,
    );
  if (!good)
    causes.push({
      reason: 'bad_sig',
      detail: `the signature is not by the key of the certificate ${leaf.sha256} over this call, these arguments and this certificate`,
    });
  return causes;
}
