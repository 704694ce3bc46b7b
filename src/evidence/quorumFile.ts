/**
 * A quorum as one file, `audit.quorum.v1`: the bundles that `verify-quorum` takes one by one, so that they can be handed on together. The
 * number of votes needed is the auditor's and stands in no file.
 */
import { formatted, list, nullable, omitEmpty, string } from '../json/shape.ts';
import { proofShape } from './shapes.ts';

export const QUORUM_FORMAT = 'audit.quorum.v1';

export const quorumFileShape = formatted('quorum', QUORUM_FORMAT, {
  name: string,
  tally: proofShape,
  votes: list(proofShape),
  commit: omitEmpty(nullable(proofShape)),
});
