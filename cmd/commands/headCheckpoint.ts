/** `audit head checkpoint`: a head as a signed checkpoint of the C2SP family, or one more cosignature on a checkpoint. */
import { Unreadable } from '../../src/host/files.ts';
import { checkpointText, headAsCheckpoint } from '../../src/log/checkpoint.ts';
import { faultFinding } from '../../src/log/fault.ts';
import { cosign, signNote } from '../../src/log/note.ts';
import { ED25519_COSIGNATURE, ED25519_NOTE, ed25519Signer, isKeyName } from '../../src/log/noteKey.ts';
import { sessionHeadAsCheckpoint } from '../../src/log/sessionHead.ts';
import { readSingle } from '../../src/log/statement.ts';
import { type Command, UsageError } from '../command.ts';
import { AT, OUT } from '../options.ts';
import { deliver, KEY, momentOf, privateKey, readNamed, refuse } from '../producing.ts';
import { readTreeSource } from '../treeSource.ts';

export const headCheckpointCommand: Command = {
  name: 'head checkpoint',
  summary:
    'Publish a head as a signed checkpoint that other transparency tools read; or cosign a checkpoint as a witness.',
  positional: '[head]',
  options: [
    { name: 'log', type: 'text', placeholder: 'NAME', describe: 'The name of the log: a URL without its scheme.' },
    {
      name: 'leaves',
      type: 'text',
      placeholder: 'FILE',
      describe: 'In place of a head: the entries of a log, one a line, each in base64.',
    },
    {
      name: 'cosign',
      type: 'text',
      placeholder: 'NAME',
      describe: 'Add a cosignature under this name to the checkpoint given.',
    },
    KEY,
    AT,
    OUT,
  ],
  examples: [
    {
      command: 'audit head checkpoint head.json --log log.example/audit --key log.key --out checkpoint.txt',
      says: 'The origin names the log, the kind of tree and the run; the key’s name is the origin.',
    },
    {
      command: 'audit head checkpoint checkpoint.txt --cosign witness.example/w --key witness.key',
      says: 'One more line: a witness says at what time it saw this tree.',
    },
  ],
  async run(args, io) {
    const [path, ...more] = args.positional;
    const cosigner = args.text('cosign');
    const log = args.text('log');
    const leaves = args.text('leaves');
    if (more.length > 0 || (path === undefined) === (leaves === undefined))
      throw new UsageError('"audit head checkpoint" takes one head, or --leaves');
    if (cosigner !== undefined ? leaves !== undefined || log !== undefined : log === undefined)
      throw new UsageError('a checkpoint is made with --log NAME, and cosigned with --cosign NAME alone');
    for (const name of [cosigner, log])
      if (name !== undefined && !isKeyName(name))
        throw new UsageError(`${JSON.stringify(name)} is no name of a key: no space and no plus`);
    const key = await privateKey(args, io);
    if (key.scheme !== 'ed25519')
      throw new Unreadable(`${args.need('key')}: checkpoints are signed with ed25519, not ${key.scheme}`);
    if (cosigner !== undefined) {
      const note = readNamed(path as string, io);
      const made = cosign(note, ed25519Signer(cosigner, key, ED25519_COSIGNATURE), momentOf(args, io) / 1_000_000_000n);
      return made.ok ? deliver(made.value, args, io) : refuse([faultFinding(made.fault)], io);
    }
    if (leaves !== undefined) {
      const read = readTreeSource(args, io);
      if (!read.ok) return refuse(read.findings, io);
      const { tree } = read.source;
      const text = checkpointText(log as string, tree.size, tree.root());
      return deliver(signNote(text, ed25519Signer(log as string, key, ED25519_NOTE)), args, io);
    }
    const read = readSingle(readNamed(path as string, io), { part: path as string });
    if (!read.ok) return refuse(read.findings, io);
    if (read.value.form === 'checkpoints')
      throw new UsageError('the file is a checkpoint already; --cosign adds a signature');
    const { root } = read.value.value;
    if (root?.length !== 32) throw new Unreadable(`${path}: the head has no root of 32 bytes`);
    const text =
      read.value.form === 'heads'
        ? headAsCheckpoint(read.value.value, log as string)
        : sessionHeadAsCheckpoint(read.value.value, log as string);
    const origin = text.slice(0, text.indexOf('\n'));
    const bytes = signNote(text, ed25519Signer(origin, key, ED25519_NOTE));
    io.err(`the origin, and the name of the key, is ${origin}\n`);
    return deliver(bytes, args, io);
  },
};
