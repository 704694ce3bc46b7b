/** The format tags of audit spec 4.1 in one table: what is read and written, exactly. */
import { HEAD_FORMAT } from '../log/head.ts';

export const FORMAT = {
  head: HEAD_FORMAT,
  proof: 'bide.audit.proof.v3',
  absence: 'bide.audit.absence.v3',
  eventInclusion: 'bide.audit.event-inclusion.v3',
  runCertificate: 'bide.audit.runcert.v3',
  currentGrant: 'bide.audit.current-grant.v3',
  package: 'bide.audit.evidence.v5',
  journalExport: 'bide.audit.journal-export.v1',
  anchorEntry: 'bide.audit.anchor-entry.v1',
  grant: 'bide.audit.grant.v2',
  seal: 'bide.audit.evidence.v5.seal',
} as const;

/** As `-version` prints it. */
export const FORMAT_TABLE: readonly { readonly artifact: string; readonly tag: string }[] = [
  { artifact: 'signed tree head', tag: FORMAT.head },
  { artifact: 'proof bundle', tag: FORMAT.proof },
  { artifact: 'absence bundle', tag: FORMAT.absence },
  { artifact: 'event inclusion proof', tag: FORMAT.eventInclusion },
  { artifact: 'run certificate', tag: FORMAT.runCertificate },
  { artifact: 'current-grant proof', tag: FORMAT.currentGrant },
  { artifact: 'evidence package', tag: FORMAT.package },
  { artifact: 'journal export', tag: FORMAT.journalExport },
  { artifact: 'anchor entry', tag: FORMAT.anchorEntry },
  { artifact: 'grant bytes', tag: FORMAT.grant },
  { artifact: 'evidence seal', tag: FORMAT.seal },
];
