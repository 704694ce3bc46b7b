/** `audit evidence inspect`: what a package or proof says, for a person. Nothing is verified here, and every page says so. */
import { readArtifact } from '../../src/evidence/place.ts';
import { type EvidencePackage, type ProofBundle, packageShape } from '../../src/evidence/shapes.ts';
import { printed } from '../../src/finding/visible.ts';
import { readStored } from '../../src/journal/decode.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { type Command, UsageError } from '../command.ts';
import { readNamed, refuse } from '../producing.ts';

export const evidenceInspectCommand: Command = {
  name: 'evidence inspect',
  summary: 'Show what an evidence package holds. This verifies nothing: "audit verify" does.',
  positional: '<package>',
  options: [
    { name: 'records', type: 'flag', describe: 'Show each disclosed record as it is stored.' },
    { name: 'json', type: 'flag', describe: 'Print JSON.' },
  ],
  examples: [
    {
      command: 'audit evidence inspect evidence.json',
      says: 'The head, the actions by kind and label, and what else is in it.',
    },
    {
      command: 'audit evidence inspect evidence.json --records',
      says: 'The records themselves, with control characters made visible.',
    },
  ],
  run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0)
      throw new UsageError('"audit evidence inspect" takes exactly one package');
    const read = readArtifact(packageShape, readNamed(path, io), { part: path });
    if (!read.ok) return refuse(read.findings, io);
    io.out(
      args.flag('json') ? `${JSON.stringify(asJson(read.value), null, 2)}\n` : asText(read.value, args.flag('records')),
    );
    return 0;
  },
};

function recordOf(bundle: ProofBundle): { readonly name: string; readonly kind: string } {
  const stored = readStored(bundle.record_bytes ?? new Uint8Array(), bundle.inclusion.index);
  const record = stored.ok ? stored.stored.record : undefined;
  return { name: record?.name ?? '(unreadable)', kind: record?.kind ?? '' };
}

function asJson(evidence: EvidencePackage): object {
  return {
    verified: false,
    format: evidence.format,
    run: evidence.run_id,
    label: evidence.label,
    size: evidence.sth.size,
    time: formatInstant(evidence.sth.timestamp_nanos),
    actions: (evidence.actions ?? []).map((action) => ({
      kind: action.kind,
      label: action.label,
      ref: action.ref,
      index: action.bundle.inclusion.index,
      record: recordOf(action.bundle).name,
    })),
    grants: (evidence.grants?.chain ?? []).map(({ grant }) => ({
      id: grant.id,
      issuer: grant.issuer,
      subject: grant.subject,
    })),
    used_policies: evidence.run_certificate?.used_policies ?? null,
    continues_size: evidence.consistency?.from.size ?? null,
  };
}

function asText(evidence: EvidencePackage, records: boolean): string {
  const lines = [
    'Nothing below was verified; "audit verify" does that.',
    '',
    `package  ${evidence.label === '' ? '(no label)' : evidence.label}`,
    `run      ${evidence.run_id}`,
    `head     ${evidence.sth.size} records, by its own clock ${formatInstant(evidence.sth.timestamp_nanos)}`,
    `sealed   with ${evidence.alg}, by whoever holds the key that your trust file has to name`,
    '',
    `${evidence.actions?.length ?? 0} actions`,
  ];
  for (const action of evidence.actions ?? []) {
    const { name, kind } = recordOf(action.bundle);
    lines.push(
      `  ${String(action.bundle.inclusion.index).padStart(6)}  ${action.kind.padEnd(14)}  ${action.label}  (${name}, ${kind})`,
    );
    if (records) lines.push(`          ${new TextDecoder().decode(action.bundle.record_bytes ?? new Uint8Array())}`);
  }
  const grants = evidence.grants?.chain ?? [];
  if (grants.length > 0) lines.push('', `${grants.length} grants`);
  for (const { grant } of grants) lines.push(`  ${grant.id}: ${grant.issuer} -> ${grant.subject}`);
  if (evidence.run_certificate !== null)
    lines.push('', `run certificate over ${evidence.run_certificate.used_policies?.length ?? 0} policies`);
  if (evidence.consistency !== null) lines.push('', `continues a head of size ${evidence.consistency.from.size}`);
  return lines.map(printed).join('');
}
