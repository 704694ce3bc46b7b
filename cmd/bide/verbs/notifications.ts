/** `notifications`: trails folded and judged (notifications 15). */

import type { TreeHead } from '../../../src/log/head.ts';
import type { KeyRing } from '../../../src/log/keyRing.ts';
import { catalogue } from '../../../src/notify/catalogue.ts';
import { readCompanions, type TrailFile } from '../../../src/notify/companions.ts';
import type { TrailDocument } from '../../../src/notify/document.ts';
import { noteFinding, nothingToCheck, problemFindings } from '../../../src/notify/finding.ts';
import { readTrailDocument, readTrailHead } from '../../../src/notify/input.ts';
import { type NotifyReport, notifyReport } from '../../../src/notify/report.ts';
import { readSetting, type SettingValues } from '../../../src/notify/settings.ts';
import { isEmptyHanded, type Judgement, judgeTrail } from '../../../src/notify/verify.ts';
import { parseInstant } from '../../../src/time/instant.ts';
import type { Flags } from '../flags.ts';
import { Inputs } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';

export const notificationsVerb: Verb = {
  name: 'notifications',
  summary: 'Folds and checks notification trails: who was told, in time, and whether the trail holds.',
  argument: 'trail',
  flags: {
    trail: { kind: 'list', help: 'a trail document or a trail export', required: true },
    'open-trail': { kind: 'list', help: 'a segment or index of the open trail' },
    journal: { kind: 'string', help: "the run's events that needed a person, or its journal export" },
    routing: { kind: 'string', help: 'who is to be told of what' },
    sth: { kind: 'list', help: 'a signed head of the trail' },
    pubkey: { kind: 'string', help: "the log's public key, as text or in a file" },
    now: { kind: 'string', help: 'the instant to judge by; never the clock' },
    'halt-age': { kind: 'duration', help: 'how old a halt must be to be reported (default 5m)' },
    set: { kind: 'list', help: 'name=value: a setting that was in force' },
    unbound: { kind: 'bool', help: 'take the records as given where nothing binds them' },
    strict: { kind: 'bool', help: 'a warning fails the trail too' },
  },
  usage(flags) {
    if (flags.has('now') && parseInstant(flags.text('now')) === undefined) return '-now is not an RFC 3339 time';
    const settings = settingsOf(flags);
    return typeof settings === 'string' ? settings : undefined;
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const file = (path: string): TrailFile[] => {
      const bytes = inputs.bytes(path);
      return bytes === undefined ? [] : [{ name: path, bytes }];
    };
    const [routing] = flags.has('routing') ? file(flags.text('routing')) : [];
    const companions = readCompanions({
      open: flags.list('open-trail').flatMap(file),
      journals: flags.has('journal') ? file(flags.text('journal')) : [],
      ...(routing === undefined ? {} : { routing }),
    });
    session.take(companions.findings);
    const heads = flags
      .list('sth')
      .flatMap(file)
      .flatMap((given) => headOf(given, session));
    const ring = flags.has('pubkey') ? await inputs.ring() : undefined;
    const reports: NotifyReport[] = [];
    for (const path of flags.list('trail')) {
      const document = file(path).flatMap((given) => documentOf(given, session))[0];
      if (document === undefined) continue;
      const { document: completed, conflicts } = companions.complete(document);
      if (conflicts.length > 0) {
        session.take(
          problemFindings(
            conflicts.map((name) => ({
              class: 'MALFORMED',
              about: 'document',
              pointer: `/${name}`,
              byte: 0,
              message: `-${name} and the document both give this, and they differ`,
            })),
            path,
          ),
        );
        continue;
      }
      reports.push(
        judged({ ...completed, heads: allHeads(completed, heads) }, path, flags, session, ring, inputs.skew),
      );
    }
    session.report = reports.length === 1 ? reports[0] : reports;
  },
};

function settingsOf(flags: Flags): SettingValues | string {
  const texts = [...flags.list('set'), ...(flags.has('halt-age') ? [`halt_age=${flags.text('halt-age')}`] : [])];
  let values: SettingValues = {};
  for (const text of texts) {
    const split = text.indexOf('=');
    const setting = split < 0 ? 'expected name=value' : readSetting(text.slice(0, split), text.slice(split + 1));
    if (typeof setting === 'string') return `-set ${text}: ${setting}`;
    values = { ...values, ...setting };
  }
  return values;
}

function headOf({ name, bytes }: TrailFile, session: Session): readonly TreeHead[] {
  const reading = readTrailHead(bytes);
  if (reading.ok) return [reading.value];
  session.take(problemFindings(reading.problems, name));
  return [];
}

function documentOf({ name, bytes }: TrailFile, session: Session): readonly TrailDocument[] {
  const reading = readTrailDocument(bytes);
  if (reading.ok) return [reading.value];
  session.take(problemFindings(reading.problems, name));
  return [];
}

function allHeads({ heads }: TrailDocument, given: readonly TreeHead[]): readonly TreeHead[] | undefined {
  return given.length === 0 ? heads : [...(heads ?? []), ...given];
}

function judged(
  document: TrailDocument,
  path: string,
  flags: Flags,
  session: Session,
  ring: KeyRing | undefined,
  skew: bigint,
): NotifyReport {
  const settings = settingsOf(flags);
  const judgement = judgeTrail(document, {
    now: flags.has('now') ? parseInstant(flags.text('now')) : undefined,
    ring,
    skew,
    ...(typeof settings === 'string' ? {} : { settings }),
  });
  const before = session.findings.length;
  session.take(
    judgement.notes.map((note) => noteFinding(note, judgement.document, flags.bool('strict'))),
    path,
  );
  if (isEmptyHanded(judgement)) session.take([nothingToCheck()], path);
  else if (!judgement.binding.bound && !flags.bool('unbound')) session.take([unbound(judgement)], path);
  const fails = session.findings.slice(before).some((finding) => finding.class !== 'none');
  if (!fails) session.ok(summaryOf(judgement));
  return notifyReport(judgement);
}

function unbound({ document }: Judgement) {
  return catalogue.find(
    'notify/binding-unverified',
    `nothing binds these records to a signed head of ${document.trail}; -unbound takes them as given`,
    {
      class: 'no_verdict',
    },
  );
}

function summaryOf({ document, state, binding }: Judgement): string {
  const events = [...state.events.values()];
  const acknowledged = events.filter(({ acked }) => acked !== undefined).length;
  const attested = binding.bound
    ? `${binding.attested} of ${binding.total} records attested`
    : 'records taken as given';
  return `${document.trail}: ${acknowledged} of ${events.length} events acknowledged; ${attested}`;
}
