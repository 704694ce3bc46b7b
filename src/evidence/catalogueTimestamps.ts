/** Catalogue entries about heads and the time stamps over them (audit spec 5.4). */
import type { CatalogueEntry } from '../finding/catalogue.ts';

export const timestampEntries = {
  'evidence/stamp-contradicts-head': {
    title: 'Head and token contradict each other',
    class: 'not_verified',
    severity: 'error',
    rule: 'audit 5.4',
    means: 'The head names a time after the one at which the token says it existed.',
    matters: 'The clock of the log ran ahead or the head was post-dated.',
    causes: 'A wrong clock at the log, or a head dated forward on purpose.',
    remedy: 'Do not rely on the time of the head; the token bounds it.',
  },
  'evidence/stamp-late': {
    title: 'The head was stamped late',
    class: 'none',
    severity: 'note',
    rule: 'audit 5.4',
    means: 'Between the time of the head and the token lies more than an hour.',
    matters: 'Nothing is wrong by itself, but a back-dated head looks exactly so.',
    causes: 'A stamping service that runs once a day, an outage, or a head dated back.',
    remedy: 'Rely on the time of the token as the latest one only.',
  },
} as const satisfies Record<string, CatalogueEntry>;
