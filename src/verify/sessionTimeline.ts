/** The timeline of a session: runs, calls, decisions, hand-offs and responses, each on the branch that it stands on. */
import type { ResponseVerdict } from '../session/request.ts';
import { type EntryIndex, ROOT, type Session } from '../session/session.ts';
import { describe } from '../session/show.ts';
import type { TimelineRow } from './kind.ts';

/** Rows at the beginning and as many at the end; what is between is counted. */
const MOST_AT_AN_END = 500;

const VERDICT: Readonly<Record<ResponseVerdict['outcome'], TimelineRow['verdict']>> = {
  verified: 'verified',
  absent: 'undecided',
  unchecked: 'undecided',
  mismatch: 'failed',
  divergence: 'failed',
  'bad-context': 'failed',
};

/** Rows in file order. */
export function sessionTimeline(
  session: Session,
  verdicts: ReadonlyMap<EntryIndex, ResponseVerdict['outcome']>,
): readonly TimelineRow[] {
  const { lanes, leaves } = branches(session);
  const named = (lane: number): string => (lane === 0 ? 'main' : `branch ${lane}`);
  const row = (index: EntryIndex): TimelineRow | undefined => {
    const kind = session.kind(index);
    if (!session.usable(index) || !SHOWN.has(kind)) return undefined;
    const entry = session.entry(index);
    const isCall = entry.kind === 'item' && entry.item.type.startsWith('function_call');
    if (entry.kind === 'item' && !isCall) return undefined;
    const outcome = entry.kind === 'response' ? (verdicts.get(index) ?? 'unchecked') : undefined;
    const verdict = outcome === undefined ? undefined : VERDICT[outcome];
    return {
      time: entry.ts,
      type: entry.kind === 'item' ? (entry.item.type === 'function_call' ? 'call' : 'output') : entry.kind,
      text: describe(entry).replace(/^(?:item function_call(?:_output)?|\w+) /, ''),
      entry: entry.id,
      lane: named(lanes[index] as number),
      ...(verdict === undefined ? {} : { verdict }),
    };
  };
  const rows: TimelineRow[] = [];
  let from = 0;
  for (; from < session.size && rows.length < MOST_AT_AN_END; from++) {
    const made = row(from);
    if (made !== undefined) rows.push(made);
  }
  const tail: TimelineRow[] = [];
  let to = session.size - 1;
  for (; to >= from && tail.length < MOST_AT_AN_END; to--) {
    const made = row(to);
    if (made !== undefined) tail.push(made);
  }
  if (to >= from)
    rows.push({ time: null, type: 'left_out', text: `${to - from + 1} entries between are not shown here` });
  const leaving = new Map(leaves.map((from, lane) => [named(lane), from === undefined ? undefined : named(from)]));
  return [...rows, ...tail.reverse()].map((each) => {
    const from = leaving.get(each.lane ?? '');
    leaving.delete(each.lane ?? '');
    return from === undefined ? each : { ...each, from };
  });
}

const SHOWN: ReadonlySet<string> = new Set(['item', 'response', 'run', 'dispatch', 'decision', 'compaction', 'link']);

/**
 * The branch of each entry: the first child goes on with its parent's, every other one begins a new one. Beside it the branch that each
 * one leaves, if any.
 */
function branches(session: Session): { readonly lanes: Int32Array; readonly leaves: readonly (number | undefined)[] } {
  const lanes = new Int32Array(session.size);
  const leaves: (number | undefined)[] = [];
  const continued = new Uint8Array(session.size + 1);
  for (let index = 0; index < session.size; index++) {
    const parent = session.parent(index);
    const place = parent < 0 ? 0 : parent + 1;
    if (parent < ROOT || continued[place] === 1 || parent === ROOT)
      lanes[index] = leaves.push(parent < 0 ? undefined : lanes[parent]) - 1;
    else lanes[index] = lanes[parent] as number;
    continued[place] = 1;
  }
  return { lanes, leaves };
}
