/** Findings about artifacts: proofs, absence, events, grants, certificates of runs, packages, quorums and time-stamp tokens. */
import { defineCatalogue } from '../finding/catalogue.ts';
import { grantEntries } from './catalogueGrants.ts';
import { packageEntries } from './cataloguePackages.ts';
import { proofEntries } from './catalogueProofs.ts';
import { timestampEntries } from './catalogueTimestamps.ts';

export const catalogue = defineCatalogue({
  ...proofEntries,
  ...grantEntries,
  ...packageEntries,
  ...timestampEntries,
});
