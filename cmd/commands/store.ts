/** `audit store verify|repair <store>`: a folder or a database of sessions, judged or set right (session-store 4, 5). */
import { type ByteSource, memorySource, SourceError } from '../../src/bytes/source.ts';
import { printed } from '../../src/finding/visible.ts';
import type { Trouble } from '../../src/store/backend.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import type { Input } from '../../src/verify/kind.ts';
import { assemble, type InputReport } from '../../src/verify/report.ts';
import { verifier } from '../../src/verify/session.ts';
import { givenBy, verifyInput } from '../../src/verify/verify.ts';
import { type Args, type Command, UsageError } from '../command.ts';
import { HEAD, REQUIRE, TRUST } from '../options.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { withStore } from '../sessionStore.ts';
import { readTrustFiles } from '../trust.ts';

function storeOf(args: Args, what: string): string {
  const [path, ...more] = args.positional;
  if (path === undefined || more.length > 0)
    throw new UsageError(`"audit store ${what}" takes one store: a folder or a database of sessions`);
  return path;
}

function* inputsOf(store: LineStore): Generator<Input> {
  for (const { label, bytes } of store.files()) yield { path: label, source: memorySource(bytes) };
}

/** The headers of all sessions: what a session is held against that another one links. */
async function headersOf(store: LineStore): Promise<readonly Input[]> {
  const headers: Input[] = [];
  for await (const found of store.list())
    if ('header' in found) headers.push({ path: found.header.id, source: memorySource(found.header.raw.bytes) });
  return headers;
}

/** The blobs of a store under their names, each read when it is needed. One that is gone by then is as good as absent. */
function mediaOf(store: LineStore): readonly Input[] {
  return [...store.blobs()].flatMap(({ hash, read }) => {
    let bytes = read();
    if (bytes === undefined) return [];
    const size = bytes.length;
    bytes = undefined;
    const held = (): Uint8Array => {
      bytes ??= read();
      if (bytes === undefined) throw new SourceError('the blob is gone');
      return bytes;
    };
    const source: ByteSource = {
      size,
      read: (offset, length) => held().subarray(offset, Math.min(size, offset + length)),
      close() {
        bytes = undefined;
      },
    };
    return [{ path: hash.slice('sha256:'.length), source }];
  });
}

export const storeVerifyCommand: Command = {
  name: 'store verify',
  summary: 'Verify a store: every session, and the locks, refs, media and columns beside them.',
  positional: '<store>',
  options: [TRUST, HEAD, REQUIRE, ...OUTPUT_OPTIONS],
  examples: [
    { command: 'audit store verify sessions/', says: 'Every session of the folder, and what else stands in it.' },
    { command: 'audit store verify sessions.db --format json', says: 'The same of a SQLite database, for a program.' },
  ],
  async run(args, io) {
    const path = storeOf(args, 'verify');
    const outputs = outputsOf(args, io);
    const require = args
      .list('require')
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '');
    const { trust, findings: trustFindings } = await readTrustFiles(args, io);
    const given = (name: string): Input => ({ path: name, source: memorySource(io.read(name)) });
    return withStore(path, true, async (store) => {
      const options = {
        trust,
        trustFiles: args.list('trust').map(given),
        heads: args.list('head').map(given),
        ...(require.length === 0 ? {} : { require }),
      };
      const reports: InputReport[] = [];
      const beside = { siblings: await headersOf(store), media: mediaOf(store) };
      for (const input of inputsOf(store)) reports.push(await verifyInput(input, { ...options, ...beside }, verifier));
      const findings = [...store.troubles()].map(({ finding }) => finding);
      if (reports.length === 0)
        io.err(
          `audit: ${path} holds no session in the place of a store (folder/time_id.jsonl); "audit verify ${path}" takes any folder of files\n`,
        );
      return emit(assemble(reports, [...trustFindings, ...findings], givenBy(options)), outputs, args, io);
    });
  },
};

export const storeRepairCommand: Command = {
  name: 'store repair',
  summary:
    'Set a store right after a crash: torn tails cut off, locks of dead writers and leftovers removed, refs completed.',
  positional: '<store>',
  options: [{ name: 'dry-run', type: 'flag', describe: 'Say what would be done and change nothing.' }],
  examples: [
    { command: 'audit store repair sessions/ --dry-run', says: 'What a crash left, and what would be done about it.' },
    { command: 'audit store repair sessions/', says: 'Does it. No whole entry is ever removed.' },
  ],
  async run(args, io) {
    const path = storeOf(args, 'repair');
    const dry = args.flag('dry-run');
    const found = await withStore(path, dry, (store) => {
      const troubles = [...store.troubles()];
      if (!dry) for (const trouble of troubles) trouble.repair?.();
      return troubles;
    });
    for (const { finding, repair } of found) {
      const word = repair === undefined ? 'left as it is' : dry ? 'would be repaired' : 'repaired';
      io.out(printed(`${word}: ${finding.message}`));
      if (repair === undefined) io.out(printed(`  ${finding.remedy}`));
    }
    const left = dry ? found : await withStore(path, true, (store): Trouble[] => [...store.troubles()]);
    if (found.length === 0) io.out('nothing to repair\n');
    return left.some(({ finding }) => finding.class === 'not_verified') ? 1 : 0;
  },
};
