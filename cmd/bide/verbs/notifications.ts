/** `notifications`: notification trails judged as notifications 15 says, with the statuses of audit spec 6.2. */

import type { PublicKey } from '../../../src/crypto/signature.ts';
import { catalogue } from '../../../src/evidence/catalogue.ts';
import type { TreeHead } from '../../../src/log/head.ts';
import { ringOf } from '../../../src/log/keyRing.ts';
import { readCompanions, type TrailFile } from '../../../src/notify/companions.ts';
import { noteFinding, problemFindings } from '../../../src/notify/finding.ts';
import { readTrailDocument, readTrailHead } from '../../../src/notify/input.ts';
import { notifyReport } from '../../../src/notify/report.ts';
import { readSetting, type SettingValues } from '../../../src/notify/settings.ts';
import { isEmptyHanded, judgeTrail, statusOf } from '../../../src/notify/verify.ts';
import { parseInstant } from '../../../src/time/instant.ts';
import type { Flags } from '../flags.ts';
import { Inputs } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';

export const notificationsVerb: Verb = {
  name: 'notifications',
  summary: 'Folds and judges notification trails.',
  argument: 'trail',
  flags: {
    trail: { kind: 'list', help: 'a trail document or export; a file without a flag is taken as one', required: true },
    'open-trail': { kind: 'list', help: 'a document or export of a segment or index of the open trail' },
    journal: { kind: 'string', help: 'the events of the run that needed a person, or its journal export' },
    routing: { kind: 'string', help: 'who is to be told of what' },
    sth: { kind: 'list', help: 'a signed head of the trail' },
    pubkey: { kind: 'list', help: 'a public key of the log, as text or in a file' },
    now: { kind: 'string', help: 'the instant to judge by, RFC 3339' },
    'halt-age': { kind: 'string', help: 'the same as -set halt_age=dur' },
    set: { kind: 'list', help: 'a setting that was in force: name=value' },
    unbound: { kind: 'bool', help: 'take the records as given where nothing binds them to a signed head' },
    strict: { kind: 'bool', help: 'a warning fails the trail too' },
  },
  usage(flags) {
    if (flags.has('now') && parseInstant(flags.text('now')) === undefined) return '-now is an RFC 3339 time';
    const settings = settingsOf(flags);
    return typeof settings === 'string' ? settings : undefined;
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const files = (paths: readonly string[]): readonly TrailFile[] =>
      paths.flatMap((name) => {
        const bytes = inputs.bytes(name);
        return bytes === undefined ? [] : [{ name, bytes }];
      });
    const trails = files(flags.list('trail'));
    const [routing] = files(flags.has('routing') ? [flags.text('routing')] : []);
    const companions = readCompanions({
      open: files(flags.list('open-trail')),
      journals: files(flags.has('journal') ? [flags.text('journal')] : []),
      ...(routing === undefined ? {} : { routing }),
    });
    session.take(companions.findings);
    const keys: PublicKey[] = [];
    for (const value of flags.list('pubkey')) {
      const key = await inputs.key(value, '-pubkey');
      if (key !== undefined) keys.push(key);
    }
    const heads = headsOf(files(flags.list('sth')), session);
    const settings = settingsOf(flags);
    const now = parseInstant(flags.text('now'));
    const reports: object[] = [];
    for (const { name, bytes } of trails) {
      const read = readTrailDocument(bytes);
      if (!read.ok) {
        session.take(problemFindings(read.problems, name));
        continue;
      }
      const completed = companions.complete(read.value);
      for (const conflict of completed.conflicts)
        session.take(
          [catalogue.find('evidence/given-twice', `-${conflict} and the document both give this, and they differ`)],
          name,
        );
      const document = heads.length === 0 ? completed.document : { ...completed.document, heads };
      const judgement = judgeTrail(document, {
        ...(keys.length === 0 ? {} : { ring: keys.flatMap((key) => ringOf(key)) }),
        skew: inputs.skew,
        ...(now === undefined ? {} : { now }),
        ...(typeof settings === 'string' ? {} : { settings }),
      });
      const strict = flags.bool('strict');
      session.take(
        judgement.notes.map((note) => noteFinding(note, document, strict)),
        name,
      );
      const report = notifyReport(judgement);
      reports.push(report);
      const status = statusOf(judgement, { unbound: flags.bool('unbound'), strict });
      if (isEmptyHanded(judgement))
        session.take(
          [catalogue.find('evidence/nothing-to-check', 'there is no record, leaf, head or event to check')],
          name,
        );
      else if (status === 3)
        session.take(
          [
            catalogue.find(
              'evidence/trail-unbound',
              'nothing shows that these are the records of the trail: they are bound to no signed head',
            ),
          ],
          name,
        );
      const { summary } = report;
      session.item(
        status === 0 ? 'PASS' : status === 3 ? 'INFO' : 'FAIL',
        `${report.trail || name}: ${summary.events} events, ${summary.acknowledged} acknowledged, ${summary.open} open`,
      );
    }
    session.report = reports.length === 1 ? reports[0] : reports;
  },
};

/** Heads given beside the trail. */
function headsOf(files: readonly TrailFile[], session: Session): readonly TreeHead[] {
  return files.flatMap(({ name, bytes }) => {
    const read = readTrailHead(bytes);
    if (read.ok) return [read.value];
    session.take(problemFindings(read.problems, name));
    return [];
  });
}

/** Settings of the command line, or what is wrong with one. */
function settingsOf(flags: Flags): SettingValues | string {
  const given = [...flags.list('set'), ...(flags.has('halt-age') ? [`halt_age=${flags.text('halt-age')}`] : [])];
  let settings: SettingValues = {};
  for (const text of given) {
    const equals = text.indexOf('=');
    const read =
      equals < 0
        ? `-set takes name=value, not ${JSON.stringify(text)}`
        : readSetting(text.slice(0, equals), text.slice(equals + 1));
    if (typeof read === 'string') return read;
    settings = { ...settings, ...read };
  }
  return settings;
}
