/** `audit store verify|repair|break-lock <store>`: a folder or a database of sessions, judged or set right (session-store 4, 5). */
import { type ByteSource, memorySource, SourceError } from '../../src/bytes/source.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { printed } from '../../src/finding/visible.ts';
import { reasonOf } from '../../src/host/files.ts';
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

/** A folder that holds no session may be no store at all: nothing is said of it. */
function holdsNone(path: string): string {
  return printed(
    `audit: ${path} holds no session in the place of a store (folder/time_id.jsonl); "audit verify ${path}" takes any folder of files`,
  );
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
      if (reports.length === 0) io.err(holdsNone(path));
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
    // Looked at first without writing: what is another program's gets no tables of ours.
    const { isEmpty, troubles } = await withStore(path, true, (store) => {
      const [session] = store.files();
      return { isEmpty: session === undefined, troubles: [...store.troubles()] };
    });
    if (isEmpty && troubles.length === 0) {
      io.err(holdsNone(path));
      return 3;
    }
    const steps = dry
      ? troubles.map((trouble) => stepOf(trouble))
      : await withStore(path, false, (store) => [...store.troubles()].map((trouble) => stepOf(trouble, repaired)));
    for (const { finding, done, remedy } of steps) {
      io.out(printed(`${done}: ${finding.message}`));
      if (remedy) io.out(printed(`  ${finding.remedy}`));
    }
    if (steps.length === 0) io.out('nothing to repair\n');
    const left = dry ? troubles : await withStore(path, true, (store) => [...store.troubles()]);
    if (left.some(({ finding }) => finding.class === 'not_verified')) return 1;
    return steps.some(({ failed }) => failed) ? 4 : 0;
  },
};

/** What is said of a trouble: what was done about it, and whether the remedy of its finding is left to a person. */
interface Step {
  readonly finding: Finding;
  readonly done: string;
  readonly remedy: boolean;
  readonly failed: boolean;
}

function stepOf(
  { finding, heldBy, repair }: Trouble,
  act: (repair: () => boolean) => string = () => 'would be repaired',
): Step {
  const step = { finding, remedy: repair === undefined, failed: false };
  if (repair === undefined) return { ...step, done: 'left as it is' };
  if (heldBy !== undefined) return { ...step, done: `left as it is: held by ${heldBy}` };
  try {
    return { ...step, done: act(repair) };
  } catch (error) {
    // One that fails does not keep the others from being set right.
    return { ...step, done: `could not be repaired: ${reasonOf(error)}`, failed: true };
  }
}

function repaired(repair: () => boolean): string {
  return repair() ? 'repaired' : 'left as it is: held by somebody else, or changed meanwhile';
}

export const storeBreakLockCommand: Command = {
  name: 'store break-lock',
  summary: 'Take the lock of a session from a writer that is known to be gone, such as one on another machine.',
  positional: '<store> <session id>',
  options: [],
  examples: [
    { command: 'audit store verify sessions/', says: 'Tells which sessions are held (store/held), and by whom.' },
    {
      command: 'audit store break-lock sessions/ 0199a4b2-5c1e-7d3f-8a90-1b2c3d4e5f60',
      says: 'Lets the next writer have this one. A writer that was not gone has every append refused from now on.',
    },
  ],
  async run(args, io) {
    const [path, id, ...more] = args.positional;
    if (path === undefined || id === undefined || more.length > 0)
      throw new UsageError('"audit store break-lock" takes a store and the id of one of its sessions');
    const holder = await withStore(path, true, (store) => store.lockHolder(id));
    await withStore(path, false, (store) => store.breakLock(id));
    io.out(
      printed(
        holder === undefined
          ? `free: session ${id}; a lock that does not say whose it is, if there was one, is removed`
          : `free: session ${id}; process ${holder.pid} on ${holder.host} held it since ${holder.since}`,
      ),
    );
    return 0;
  },
};
