/** Resolving a halt: somebody found out whether the effect happened, and records it (journal 4.4). */
import { compareUtf8, equalBytes } from '../bytes/encoding.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import { attempts, isStepName, names } from './names.ts';
import type { JournalRecord, RawJson } from './record.ts';
import { liveAttempts, outcomeOf, replay } from './replay.ts';
import { JournalRefusal, type JournalWriter } from './writer.ts';

export interface Resolution {
  readonly kind: 'tool' | 'step';
  /** Id of the call, name of the step. */
  readonly op: string;
  readonly cause: 'crashed' | 'contended';
  readonly result: RawJson;
  readonly isError?: boolean;
  readonly evidence?: RawJson;
  /** Milliseconds that must have passed since the live marker; needed for a contended halt. */
  readonly minimumAgeMs?: bigint;
  /** Unix milliseconds now. */
  readonly nowMs: bigint;
  /** Nobody else drives the run: no claim of the resolution's own is written. */
  readonly skipLiveCheck?: boolean;
}

export type Resolved =
  | { readonly status: 'recorded' | 'agreed' }
  | { readonly status: 'already_resolved'; readonly standing: JournalRecord }
  | { readonly status: 'no_live_attempt' | 'too_young' | 'in_flight' };

/** The steps of journal 4.4. A mistake of the caller is a JournalRefusal of category config. */
export async function resolveHalt(writer: JournalWriter, resolution: Resolution): Promise<Resolved> {
  // 1
  if (resolution.op === '') throw new JournalRefusal('config', 'which call or step was resolved is not said');
  if (resolution.kind === 'step' && !isStepName(resolution.op))
    throw new JournalRefusal('config', `${resolution.op} is not the name of a step`);
  if (resolution.cause === 'contended' && resolution.minimumAgeMs === undefined)
    throw new JournalRefusal('config', 'a contended halt is resolved only after a minimum age');
  // 3
  const journal = await writer.load();
  if (journal === undefined) return { status: 'no_live_attempt' };
  const run = replay(journal);
  const base = resolution.kind === 'tool' ? names.toolAttempt(resolution.op) : names.stepAttempt(resolution.op);
  const effect = run.effects.get(base);
  const standing = effect === undefined ? undefined : outcomeOf(run, effect)?.record;
  if (standing !== undefined)
    return agrees(standing, resolution) ? { status: 'agreed' } : { status: 'already_resolved', standing };
  const live = effect === undefined ? undefined : liveAttempts(effect).at(-1);
  if (live === undefined) return { status: 'no_live_attempt' };
  if (resolution.minimumAgeMs !== undefined) {
    const { attemptedAt } = live.stored.record;
    if (attemptedAt <= 0n) throw new JournalRefusal('config', 'the attempt has no time to measure its age from');
    if (resolution.nowMs - attemptedAt < resolution.minimumAgeMs) return { status: 'too_young' };
  }
  // 4
  if (resolution.skipLiveCheck !== true) {
    const claim = writer.newClaim();
    const marker = attempts.key(base, live.number + 1);
    const toolUseId = resolution.op;
    const { record } = await writer.record({
      name: marker,
      kind: 'attempt',
      toolUseId,
      attemptedAt: resolution.nowMs,
      claim,
    });
    if (record.claim !== claim) return { status: 'in_flight' };
  }
  // 5
  const written = await writer.record({
    name: resolution.kind === 'tool' ? names.tool(resolution.op) : resolution.op,
    kind: resolution.kind === 'tool' ? 'tool_result' : 'value',
    toolUseId: resolution.kind === 'tool' ? resolution.op : '',
    result: resolution.result,
    isError: resolution.isError ?? false,
    recordedAt: writer.now(),
    reconciled: resolution.evidence !== undefined,
    evidence: resolution.evidence,
  });
  // 6
  if (written.won) return { status: 'recorded' };
  return agrees(written.record, resolution)
    ? { status: 'agreed' }
    : { status: 'already_resolved', standing: written.record };
}

function agrees(held: JournalRecord, resolution: Resolution): boolean {
  const kind = resolution.kind === 'tool' ? 'tool_result' : 'value';
  return (
    held.kind === kind &&
    held.isError === (resolution.isError ?? false) &&
    held.result !== undefined &&
    sameJson(held.result, resolution.result)
  );
}

/** Equal as JSON values: numbers exact, key order and escapes ignored. A text with no canonical form equals only itself. */
export function sameJson(a: RawJson, b: RawJson): boolean {
  if (equalBytes(a, b)) return true;
  const [left, right] = [canonical(a), canonical(b)];
  return left !== undefined && left === right;
}

function canonical(raw: RawJson): string | undefined {
  const parsed = parseTree(raw);
  return parsed.ok ? write(parsed.root, 0) : undefined;
}

/** Deeper than this a value equals only itself. */
const DEEPEST = 1000;

function write(node: JsonNode, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  switch (node.kind) {
    case 'string':
      return node.illFormed ? undefined : JSON.stringify(node.value);
    case 'number':
      return exact(node.text);
    case 'array': {
      const items = node.items.map((item) => write(item, depth + 1));
      return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
    }
    case 'object': {
      const sorted = [...node.members].sort((a, b) => compareUtf8(a.name, b.name));
      const members: string[] = [];
      let last: string | undefined;
      for (const { name, value } of sorted) {
        const text = write(value, depth + 1);
        if (text === undefined || name === last) return undefined;
        members.push(`${JSON.stringify(name)}:${text}`);
        last = name;
      }
      return `{${members.join(',')}}`;
    }
    default:
      return node.kind;
  }
}

/** A decimal number without its spelling: sign, digits without outer zeros, exponent. */
function exact(text: string): string {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  if (match === null) return text;
  const fraction = match[3] ?? '';
  const all = (match[2] as string) + fraction;
  let start = 0;
  let end = all.length;
  while (all[start] === '0') start++;
  while (end > start && all[end - 1] === '0') end--;
  const trimmed = all.slice(start, end);
  if (trimmed === '') return '0';
  const exponent = BigInt(match[4] ?? '0') - BigInt(fraction.length) + BigInt(all.length - end);
  return `${match[1]}${trimmed}e${exponent}`;
}
