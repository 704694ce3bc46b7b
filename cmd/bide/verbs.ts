/** The verbs of `bide-audit` (audit spec 6.5); the module of a verb is loaded when it is called. */
import type { Verb } from './verb.ts';

const LOADERS: Readonly<Record<string, () => Promise<Verb>>> = {
  prove: async () => (await import('./verbs/proof.ts')).proveVerb,
  verify: async () => (await import('./verbs/proof.ts')).verifyVerb,
  'prove-absent': async () => (await import('./verbs/absence.ts')).proveAbsentVerb,
  'verify-absent': async () => (await import('./verbs/absence.ts')).verifyAbsentVerb,
  'verify-governance': async () => (await import('./verbs/governance.ts')).verifyGovernanceVerb,
  'verify-governed-action': async () => (await import('./verbs/governance.ts')).verifyGovernedActionVerb,
  'verify-convergence': async () => (await import('./verbs/governance.ts')).verifyConvergenceVerb,
  'verify-quorum': async () => (await import('./verbs/quorum.ts')).verifyQuorumVerb,
  'verify-run': async () => (await import('./verbs/packages.ts')).verifyRunVerb,
  'verify-evidence': async () => (await import('./verbs/packages.ts')).verifyEvidenceVerb,
  'verify-approvals': async () => (await import('./verbs/approvals.ts')).verifyApprovalsVerb,
  'verify-identity': async () => (await import('./verbs/identity.ts')).verifyIdentityVerb,
  'verify-journal': async () => (await import('./verbs/heads.ts')).verifyJournalVerb,
  'verify-consistency': async () => (await import('./verbs/heads.ts')).verifyConsistencyVerb,
  'verify-heads': async () => (await import('./verbs/heads.ts')).verifyHeadsVerb,
  'verify-anchor': async () => (await import('./verbs/heads.ts')).verifyAnchorVerb,
  'verify-timestamp': async () => (await import('./verbs/timestamp.ts')).verifyTimestampVerb,
  'verify-grants': async () => (await import('./verbs/grants.ts')).verifyGrantsVerb,
  'verify-current-grant': async () => (await import('./verbs/grants.ts')).verifyCurrentGrantVerb,
  notifications: async () => (await import('./verbs/notifications.ts')).notificationsVerb,
};

export const VERB_NAMES: readonly string[] = Object.keys(LOADERS);

/** The verb of a name, or undefined. */
export async function loadVerb(name: string): Promise<Verb | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name]?.() : undefined;
}
