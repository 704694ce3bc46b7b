/** `audit notifications <trail...>`: was the person told, in time, and can it be shown (notifications 12, 15). */

import { memorySource } from '../../src/bytes/source.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import { Unreadable } from '../../src/host/files.ts';
import { readCompanions, type TrailFile } from '../../src/notify/companions.ts';
import { readSetting, type SettingValues } from '../../src/notify/settings.ts';
import type { Trust } from '../../src/trust/trust.ts';
import type { Input } from '../../src/verify/kind.ts';
import { assemble, type InputReport } from '../../src/verify/report.ts';
import { trailVerifier } from '../../src/verify/trail.ts';
import { givenBy, unreadableInput, verifyInput } from '../../src/verify/verify.ts';
import { type Args, type Command, type Io, UsageError } from '../command.ts';
import { instantOf } from '../inputs.ts';
import { AT, HEAD, REQUIRE, TRUST } from '../options.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { readTrustFiles } from '../trust.ts';

export const notificationsCommand: Command = {
  name: 'notifications',
  summary:
    'Fold and verify notification trails: who was told of what, when, whether it was acknowledged, and whether the trail holds.',
  positional: '[trail...]',
  options: [
    {
      name: 'trail',
      type: 'text',
      repeatable: true,
      placeholder: 'FILE',
      describe: 'A trail document or export; the same as naming it without an option.',
    },
    {
      name: 'open-trail',
      type: 'text',
      repeatable: true,
      placeholder: 'FILE',
      describe: 'A segment or index of the open trail.',
    },
    {
      name: 'journal',
      type: 'text',
      repeatable: true,
      placeholder: 'FILE',
      describe: "The run's events that needed a person, or its journal export, from which they are derived.",
    },
    { name: 'routing', type: 'text', placeholder: 'FILE', describe: 'Who is to be told of what.' },
    {
      name: 'pubkey',
      type: 'text',
      repeatable: true,
      placeholder: 'KEY|FILE',
      describe: 'A key of the log, beside those of the trust file.',
    },
    HEAD,
    TRUST,
    AT,
    {
      name: 'halt-age',
      type: 'text',
      placeholder: 'DUR',
      describe: 'How old a halt must be to be reported; the same as --set halt_age=DUR.',
    },
    {
      name: 'set',
      type: 'text',
      repeatable: true,
      placeholder: 'NAME=VALUE',
      describe: 'A setting that was in force: deadline, clock_skew, notifier_since and others.',
    },
    { name: 'unbound', type: 'flag', describe: 'Take the records as given where nothing binds them to a signed head.' },
    { name: 'strict', type: 'flag', describe: 'A warning (lateness, or what a crash explains) fails the trail too.' },
    REQUIRE,
    ...OUTPUT_OPTIONS,
  ],
  examples: [
    {
      command: 'audit notifications trail.json --trust trust.json',
      says: 'Judges a trail with its leaves and heads; one line for each event says what happened.',
    },
    {
      command: 'audit notifications trail.json --journal run.json --routing routing.json --at 2026-10-14T00:00:00Z',
      says: "Also holds the trail against the run's journal and the operator's routing, as of an instant.",
    },
    {
      command: 'audit notifications trail.json --unbound --set all_clear_within=1m',
      says: 'Takes records without leaves as given, with a tighter promise.',
    },
  ],
  async run(args, io) {
    const outputs = outputsOf(args, io);
    const paths = [...args.list('trail'), ...args.positional];
    if (paths.length === 0) throw new UsageError('"audit notifications" needs a trail document');
    const settings = settingsOf(args);
    const at = instantOf(args, 'at');
    const require = args
      .list('require')
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '');
    const read = (path: string) => named(path, () => io.read(path));
    const { trust, findings: trustFindings } = await readTrustFiles(args, io);
    const file = (path: string): TrailFile => ({ name: path, bytes: read(path) });
    const routing = args.text('routing');
    const companions = readCompanions({
      open: args.list('open-trail').map(file),
      journals: args.list('journal').map(file),
      ...(routing === undefined ? {} : { routing: file(routing) }),
    });
    const input = (path: string): Input => ({ path, source: memorySource(read(path)) });
    const options = {
      trust: await withKeys(trust, args.list('pubkey'), io),
      trustFiles: args.list('trust').map(input),
      heads: args.list('head').map(input),
      companions: [
        ...args.list('open-trail'),
        ...args.list('journal'),
        ...(routing === undefined ? [] : [routing]),
      ].map(input),
      ...(at === undefined ? {} : { at }),
      ...(require.length === 0 ? {} : { require }),
    };
    const conflicts = new Set<string>();
    const verifier = trailVerifier({
      settings,
      unbound: args.flag('unbound'),
      strict: args.flag('strict'),
      complete(document) {
        const completed = companions.complete(document);
        for (const name of completed.conflicts) conflicts.add(name);
        return completed.document;
      },
    });
    const reports: InputReport[] = [];
    for (const path of paths) reports.push(await reportOf(path, io, (input) => verifyInput(input, options, verifier)));
    const [conflict] = conflicts;
    if (conflict !== undefined)
      throw new UsageError(`--${conflict} and the trail document both give this, and they differ`);
    return emit(assemble(reports, [...trustFindings, ...companions.findings], givenBy(options)), outputs, args, io);
  },
};

async function reportOf(path: string, io: Io, verify: (input: Input) => Promise<InputReport>): Promise<InputReport> {
  try {
    return await verify({ path, source: io.open(path) });
  } catch (error) {
    if (error instanceof Unreadable)
      return unreadableInput(path, error.message, error.tooLarge ? 'input/too-large' : 'input/unreadable');
    throw error;
  }
}

function settingsOf(args: Args): SettingValues {
  const haltAge = args.text('halt-age');
  const texts = [...args.list('set'), ...(haltAge === undefined ? [] : [`halt_age=${haltAge}`])];
  let values: SettingValues = {};
  for (const text of texts) {
    const split = text.indexOf('=');
    if (split < 0) throw new UsageError(`--set takes NAME=VALUE; not ${JSON.stringify(text)}`);
    const setting = readSetting(text.slice(0, split), text.slice(split + 1));
    if (typeof setting === 'string') throw new UsageError(`--set ${text}: ${setting}`);
    values = { ...values, ...setting };
  }
  return values;
}

/** Keys of `--pubkey`: text of a key, else a file that holds it (audit spec 6.3). */
async function withKeys(trust: Trust, texts: readonly string[], io: Io): Promise<Trust> {
  const keys = [...trust.keys];
  for (const text of texts) keys.push({ name: '--pubkey', roles: ['log'], key: await keyOf(text, io) });
  return { ...trust, keys };
}

async function keyOf(text: string, io: Io): Promise<PublicKey> {
  const looksLikeKey = /^\s*(?:[a-z0-9+-]+:)?[0-9a-fA-F]+\s*$/.test(text);
  const written = looksLikeKey ? text : new TextDecoder().decode(named(text, () => io.read(text)));
  const key = await parsePublicKey(written);
  if (isUnusable(key)) throw new Unreadable(`--pubkey: ${key.unusable}`);
  return key;
}

function named<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${path}: ${error.message}`, error.tooLarge);
    throw error;
  }
}
