/**
 * A checkpoint under a policy (`interop.md` 1.4 and 1.5 "Evaluation", steps numbered as there): signed by its log, cosigned by enough
 * witnesses. Every line is checked and every fault listed; the first one is the reason.
 */
import { type Checkpoint, checkpointFault, parseCheckpoint } from './checkpoint.ts';
import { isInTime, secondsText } from './cosignature.ts';
import { type Fault, refuse } from './fault.ts';
import { checkSignatures, parseNote } from './note.ts';
import { ED25519_NOTE, formatVerifierKey, type NoteKey } from './noteKey.ts';
import { isSatisfied, type Policy, shown } from './policy.ts';

/** A witness that signed, by its name in the policy. */
export interface Cosigner {
  readonly name: string;
  readonly key: NoteKey;
  /** POSIX seconds: the witness's word that the root existed by then. */
  readonly time: bigint;
}

export interface Evaluation {
  /** Absent where the bytes are no note, or its text no checkpoint. */
  readonly checkpoint?: Checkpoint;
  /** Keys of the log that signed; more than one where the caller supplied several. */
  readonly logs: readonly NoteKey[];
  readonly cosigners: readonly Cosigner[];
  /** Witnesses that signed at a time after the time of judgement; they do not count. */
  readonly late: readonly Cosigner[];
  /** Witnesses of the policy that did not sign. */
  readonly absent: readonly string[];
  /** Signature lines of keys that are not known. */
  readonly unknown: number;
  /** Empty: the checkpoint counts. */
  readonly faults: readonly Fault[];
}

export interface EvaluateOptions {
  /** Log keys beside those of the policy; their names need not be the origin (step 4, `interop.md` 1.4). */
  readonly logKeys?: readonly NoteKey[];
  /** The time of judgement in POSIX seconds; without one every time of a cosignature counts. */
  readonly asOf?: bigint;
}

/** A policy that asks for no witness and lists no log. */
export const NO_POLICY: Policy = {
  logs: [],
  witnesses: new Map(),
  groups: new Map(),
  quorum: 'none',
  selfWitnesses: [],
};

const NOTHING = { logs: [], cosigners: [], late: [], absent: [], unknown: 0 } as const;

/** Evaluates the bytes of a note as a checkpoint. */
export function evaluateCheckpoint(bytes: Uint8Array, policy: Policy, options: EvaluateOptions = {}): Evaluation {
  // 1.
  const note = parseNote(bytes);
  if (!note.ok) return { ...NOTHING, faults: [note.fault] };
  const parsed = parseCheckpoint(note.value.text);
  if (!parsed.ok) return { ...NOTHING, faults: [parsed.fault] };
  const checkpoint = parsed.value;
  // 2. A log of the policy signs its own origin only.
  const logKeys = distinct([
    ...policy.logs.filter((key) => key.name === checkpoint.origin),
    ...(options.logKeys ?? []),
  ]).filter((key) => key.type === ED25519_NOTE);
  const witnesses = [...policy.witnesses.values()];
  const nameOf = new Map(witnesses.map(({ name, key }) => [key, name]));
  const log = checkSignatures(note.value, logKeys);
  // 3.
  const cosigned = checkSignatures(
    note.value,
    witnesses.map(({ key }) => key),
  );
  const faults: Fault[] = [...log.faults];
  for (const fault of cosigned.faults)
    faults.push(fault.reason === 'signature' ? { ...fault, reason: 'cosignature' } : fault);
  const impossible = checkpointFault(checkpoint);
  if (impossible !== undefined) faults.push(impossible);
  // 4.
  if (log.by.length === 0 && log.faults.length === 0)
    faults.push(
      refuse('no-log-signature', 'no known key of the log signed the checkpoint', {
        expected: logKeys.map(({ name, id }) => `${name}+${id}`).join('; ') || `a key of the log ${checkpoint.origin}`,
        actual: note.value.signatures.map(({ name, id }) => `${name}+${id}`).join('; '),
      }).fault,
    );
  // 5.
  const all = cosigned.by.map(({ key, time = 0n }) => ({ name: nameOf.get(key) as string, key, time }));
  const cosigners = all.filter(({ time }) => isInTime(time, options.asOf));
  const late = all.filter(({ time }) => !isInTime(time, options.asOf));
  const names = (some: readonly Cosigner[]) => new Set(some.map(({ name }) => name));
  const absent = witnesses.map(({ name }) => name).filter((name) => !names(all).has(name));
  if (cosigned.faults.length === 0 && !isSatisfied(policy, names(cosigners)))
    faults.push(quorumFault(policy, isSatisfied(policy, names(all)), cosigners, late, absent));
  const known = new Set([...logKeys, ...nameOf.keys()].map(({ name, id }) => `${name}+${id}`));
  const unknown = note.value.signatures.filter(({ name, id }) => !known.has(`${name}+${id}`)).length;
  return { checkpoint, logs: log.by.map(({ key }) => key), cosigners, late, absent, unknown, faults };
}

/** A key that stands in the policy and is supplied too is one key. */
function distinct(keys: readonly NoteKey[]): readonly NoteKey[] {
  return [...new Map(keys.map((key) => [formatVerifierKey(key), key])).values()];
}

function quorumFault(
  policy: Policy,
  lateWouldDo: boolean,
  cosigners: readonly Cosigner[],
  late: readonly Cosigner[],
  absent: readonly string[],
): Fault {
  const list = (names: readonly string[]) => names.map(shown).join(', ') || 'none';
  const actual = `cosigned: ${list(cosigners.map(({ name }) => name))}; missing: ${list(absent)}`;
  const expected = `the quorum ${shown(policy.quorum)}`;
  return lateWouldDo
    ? refuse(
        'quorum-late',
        `the quorum would hold only with cosignatures from after the time of judgement: ${late.map(({ name, time }) => `${shown(name)} at ${secondsText(time)}`).join(', ')}`,
        { expected, actual },
      ).fault
    : refuse('quorum', 'the witnesses that cosigned do not make the quorum', { expected, actual }).fault;
}
