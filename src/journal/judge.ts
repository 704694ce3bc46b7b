/** Where findings about one run are collected. */
import type { Particulars } from '../finding/catalogue.ts';
import type { Finding } from '../finding/finding.ts';
import { catalogue } from './catalogue.ts';
import type { ReadableRecord } from './record.ts';
import type { Replay } from './replay.ts';

export type JournalCode = keyof typeof catalogue.entries;

/** Collects findings of one run. */
export class Judge {
  readonly run: Replay;
  readonly findings: Finding[] = [];
  constructor(run: Replay) {
    this.run = run;
  }

  find(code: JournalCode, stored: ReadableRecord, message: string, more: Particulars = {}): void {
    const where = { entry: stored.name, pointer: `/records/${stored.position}`, ...more.where };
    this.findings.push(catalogue.find(code, message, { ...more, where }));
  }

  /** A finding that rests on something not being there: undecided when a redacted record may have been it. */
  absent(code: JournalCode, stored: ReadableRecord, message: string, more: Particulars = {}): void {
    if (this.run.tombstones === 0) this.find(code, stored, message, more);
    else this.find(code, stored, `${message} A redacted record may explain it.`, { ...more, class: 'no_verdict' });
  }
}
