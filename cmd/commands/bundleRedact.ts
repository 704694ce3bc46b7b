/** `audit bundle redact`: a new bundle without some of the files, which names the old one's digest (docs/spec/bundle.md 5). */

import { contentFindings, readBundle } from '../../src/bundle/read.ts';
import { sha256Hex } from '../../src/bundle/statement.ts';
import { renderJson } from '../../src/report/json.ts';
import { makeBundle } from '../../src/verify/bundleMake.ts';
import type { InsideFile } from '../../src/verify/bundleRun.ts';
import { addFiles, checkLimits } from '../bundleFiles.ts';
import { type Command, UsageError } from '../command.ts';
import { AT, OUT } from '../options.ts';
import { KEY, momentOf, privateKey, readNamed, refuse } from '../producing.ts';

export const bundleRedactCommand: Command = {
  name: 'bundle redact',
  summary: 'Make a new bundle that leaves files out, verified and signed anew; it names the digest of the old one.',
  positional: '<bundle>',
  options: [
    {
      name: 'drop',
      type: 'text',
      repeatable: true,
      placeholder: 'NAME',
      describe: 'A file to leave out, by its name in the bundle.',
    },
    {
      name: 'add',
      type: 'text',
      repeatable: true,
      placeholder: 'FILE',
      describe: 'A file to put in instead, such as a disclosure of single entries.',
    },
    KEY,
    AT,
    OUT,
  ],
  examples: [
    {
      command: 'audit bundle redact case.bundle --drop inputs/session.jsonl --key maker.key --out public.bundle',
      says: 'The same without the session; whoever holds both can tell that they belong together.',
    },
    {
      command:
        'audit bundle redact case.bundle --drop inputs/session.jsonl --add entry.json --key maker.key --out public.bundle',
      says: 'One disclosed entry ("audit prove inclusion --session") in place of the whole session.',
    },
  ],
  async run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('"audit bundle redact" takes exactly one bundle');
    const drop = new Set(args.list('drop'));
    const add = args.list('add');
    if (drop.size === 0 && add.length === 0) throw new UsageError('--drop names what is to be left out');
    const out = args.need('out');
    const at = momentOf(args, io);
    const key = await privateKey(args, io);
    const old = readNamed(path, io);
    const read = readBundle(old);
    if (!read.ok) return refuse(read.findings, io);
    const changed = contentFindings(read.bundle);
    if (changed.length > 0) return refuse(changed, io);
    const { manifest, files } = read.bundle;
    const kept: InsideFile[] = [];
    for (const { name, role } of manifest.members) {
      const isMade = role === 'report' || role === 'attestation' || role === 'readme' || role === 'key';
      if (isMade && drop.has(name))
        throw new UsageError(`${name} is made anew for every bundle and cannot be left out`);
      const bytes = files.get(name);
      if (!isMade && !drop.has(name) && bytes !== undefined) kept.push({ path: name, bytes, role });
    }
    const unknown = [...drop].find((name) => !files.has(name));
    if (unknown !== undefined) throw new UsageError(`the bundle holds no ${JSON.stringify(unknown)}`);
    addFiles(kept, 'input', add, io);
    if (!kept.some(({ role }) => role === 'input')) throw new UsageError('nothing would be left to verify');
    checkLimits(kept);
    const { bytes, report } = await makeBundle(kept, { at, ...manifest.settings }, key, renderJson, {
      sha256: sha256Hex(old),
      removed: [...drop].sort(),
    });
    io.write(out, bytes);
    io.err(`${out}: ${kept.length} files, ${bytes.length} bytes; the report inside says ${report.result}\n`);
    return 0;
  },
};
