/** `audit evidence emit`: an evidence package, sealed with the key of the log (audit spec 4.11, 4.12.5). */
import { approvalActions } from '../../src/evidence/approvals.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { type ActionChoice, type PackageOptions, producePackage } from '../../src/evidence/packageProducer.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { produceRunCertificate } from '../../src/evidence/runCertificate.ts';
import { packageShape, signedGrantShape } from '../../src/evidence/shapes.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { Unreadable } from '../../src/host/files.ts';
import type { Journal } from '../../src/journal/record.ts';
import { encode, list, type Shape } from '../../src/json/shape.ts';
import { headShape } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { type Args, type Command, type Io, UsageError } from '../command.ts';
import { AT, OUT } from '../options.ts';
import { deliver, KEY, momentOf, privateKey, readNamed, refuse } from '../producing.ts';
import { readTreeSource, TREE_OPTIONS } from '../treeSource.ts';

export const evidenceEmitCommand: Command = {
  name: 'evidence emit',
  summary: 'Make an evidence package: chosen records of a run with their proofs under one head, sealed.',
  options: [
    ...TREE_OPTIONS.filter(({ name }) => name === 'journal' || name === 'run'),
    { name: 'head', type: 'text', placeholder: 'FILE', describe: 'The signed head of the journal.' },
    KEY,
    { name: 'label', type: 'text', placeholder: 'TEXT', describe: 'What the package is, for its reader.' },
    {
      name: 'record',
      type: 'text',
      repeatable: true,
      placeholder: 'NAME',
      describe: 'A record to disclose. Without any, every completed tool call is.',
    },
    {
      name: 'approvals',
      type: 'text',
      repeatable: true,
      placeholder: 'CALL',
      describe: 'The approval of a call with everything that its count depends on.',
    },
    {
      name: 'grants',
      type: 'text',
      placeholder: 'FILE',
      describe: 'A JSON list of signed grants, root first, that the journal holds.',
    },
    {
      name: 'approved',
      type: 'text',
      repeatable: true,
      placeholder: 'DIGEST',
      describe: 'An approved policy: adds a run certificate.',
    },
    {
      name: 'from',
      type: 'text',
      placeholder: 'FILE',
      describe: 'An earlier head: adds the proof that this one continues it.',
    },
    AT,
    OUT,
  ],
  examples: [
    {
      command: 'audit evidence emit --journal run.json --head head.json --key log.key --out evidence.json',
      says: 'Every completed tool call of the run.',
    },
    {
      command:
        'audit evidence emit --journal run.json --head head.json --key log.key --approvals toolu_09 --label "Refund 43"',
      says: 'One approved call: the request, each decision, the count and the result.',
    },
  ],
  async run(args, io) {
    args.need('journal');
    const path = args.need('head');
    const key = await privateKey(args, io);
    const read = readTreeSource(args, io);
    if (!read.ok) return refuse(read.findings, io);
    const { source } = read;
    if (source.of !== 'journal') throw new UsageError('evidence is made from a journal: --journal is needed');
    const head = readArtifact(headShape, readNamed(path, io), { part: path });
    if (!head.ok) return refuse(head.findings, io);
    // The head has to be this log's own, or the seal and the head would be by two keys.
    const own = new HeadChecker({ ring: ringOf(key.publicKey) }).check(head.value, { part: path });
    if (own.findings.length > 0) return refuse(own.findings, io);
    const approved = args.list('approved');
    const certificate =
      approved.length === 0
        ? undefined
        : produceRunCertificate(source, head.value, new Set(approved), key, momentOf(args, io));
    if (certificate?.ok === false) return refuse(certificate.findings, io);
    const actions = choicesOf(args, source.journal);
    const grants = optionalFile(args, 'grants', list(signedGrantShape), io);
    const from = optionalFile(args, 'from', headShape, io);
    const findings = [...(grants?.ok === false ? grants.findings : []), ...(from?.ok === false ? from.findings : [])];
    if (findings.length > 0) return refuse(findings, io);
    const label = args.text('label');
    const options: PackageOptions = {
      ...(label === undefined ? {} : { label }),
      ...(actions === undefined ? {} : { actions }),
      ...(grants?.ok === true ? { grants: grants.value ?? [] } : {}),
      ...(certificate?.ok === true ? { runCertificate: certificate.value } : {}),
      ...(from?.ok === true ? { from: from.value } : {}),
    };
    const made = producePackage(source, head.value, key, options);
    return made.ok ? deliver(encode(packageShape, made.value), args, io) : refuse(made.findings, io);
  },
};

/** What the command line asks to disclose, each record once; undefined: the default. Throws Unreadable for what the journal lacks. */
function choicesOf(args: Args, journal: Journal): readonly ActionChoice[] | undefined {
  const [records, calls] = [args.list('record'), args.list('approvals')];
  if (records.length === 0 && calls.length === 0) return undefined;
  const choices: ActionChoice[] = [];
  const add = (choice: ActionChoice) => {
    if (!choices.some((known) => known.position === choice.position && known.ref === choice.ref)) choices.push(choice);
  };
  for (const call of calls) {
    // A gate whose approvers sign with certificates records its outcome under a name of its own.
    const actions = approvalActions(journal, call) ?? approvalActions(journal, call, true);
    if (actions === undefined) throw new Unreadable(`the journal records no outcome of an approval gate of ${call}`);
    actions.forEach(add);
  }
  for (const name of records) {
    const position = journal.records.findIndex((stored) => stored.name === name);
    if (position < 0) throw new Unreadable(`the journal holds no record named ${name}`);
    add({ position });
  }
  return choices;
}

function optionalFile<T>(
  args: Args,
  name: string,
  shape: Shape<T>,
  io: Io,
):
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[] }
  | undefined {
  const path = args.text(name);
  return path === undefined ? undefined : readArtifact(shape, readNamed(path, io), { part: path });
}
