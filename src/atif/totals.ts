/** Model calls, tokens and costs over the whole path, and what the notes say about them: atif-export 7. */
import type { Entry } from '../session/model.ts';
import type { EntryIndex } from '../session/session.ts';
import { type Json, member } from './document.ts';
import type { SharedSession } from './sharedSession.ts';
import type { Trajectory } from './trajectory.ts';
import { type Cost, hasUsageShape, type Usage, usageOf } from './usage.ts';

export interface Totals {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  /** Undefined when no call was priced. */
  readonly cost: number | undefined;
  readonly calls: number;
  /** Calls of entries of the path that are not in the context. */
  readonly folded: number;
  /** What each priced entry cost. */
  readonly costs: ReadonlyMap<EntryIndex, number>;
}

interface Calls {
  readonly count: number;
  readonly usage: Usage | undefined;
}

/** The model calls that an entry stands for (7.1). */
function callsOf(entry: Entry, line: Json): Calls | undefined {
  switch (entry.kind) {
    case 'response':
      return { count: entry.attempts, usage: usageOf(member(line, 'usage')) };
    case 'compaction':
    case 'branch_summary':
      return { count: 1, usage: usageOf(member(line, 'usage')) };
    case 'custom': {
      const data = member(line, 'data');
      const usage = member(data, 'usage');
      if (!hasUsageShape(usage)) return undefined;
      const attempts = member(data, 'attempts');
      const isCount = typeof attempts === 'number' && Number.isInteger(attempts) && attempts > 0;
      return { count: isCount ? attempts : 1, usage: usageOf(usage) };
    }
    default:
      return undefined;
  }
}

const MAY_CALL: ReadonlySet<string> = new Set(['response', 'compaction', 'branch_summary', 'custom', 'config']);

export function totals(session: SharedSession, trajectory: Trajectory, cost: Cost | undefined): Totals {
  const { context, path } = trajectory;
  const inContext = new Set(context.selected);
  const costs = new Map<EntryIndex, number>();
  let [prompt, completion, cached, calls, folded] = [0, 0, 0, 0, 0];
  let total: number | undefined;
  let model = '';
  for (const index of path.length > 0 ? path : context.selected) {
    if (!MAY_CALL.has(session.kind(index))) continue;
    const entry = session.entry(index);
    if (entry.kind === 'config') {
      if (entry.replace) model = '';
      if (entry.model !== '') model = entry.model;
      continue;
    }
    if (entry.kind === 'compaction') model = entry.config.model;
    const made = callsOf(entry, session.wholeLine(index));
    if (made === undefined) continue;
    calls += made.count;
    if (!inContext.has(index)) folded += made.count;
    const { usage } = made;
    if (usage === undefined) continue;
    prompt += usage.input;
    completion += usage.output;
    cached += usage.cached;
    const asked = entry.kind === 'response' && entry.model !== '' ? entry.model : model;
    const price = cost?.(asked, usage);
    if (price === undefined) continue;
    costs.set(index, price);
    total = (total ?? 0) + price;
  }
  return { prompt, completion, cached, cost: total, calls, folded, costs };
}

/** The line about the totals (7.2); empty when there is nothing to say. */
export function noteOf({ calls, folded }: Totals, steps: number): string {
  const sentences: string[] = [];
  if (calls !== steps)
    sentences.push(
      `total_steps counts the path's ${calls} model call(s), its responses, folds, branch summaries and calls recorded with their usage alone, and not its ${steps} steps.`,
    );
  if (folded > 0)
    sentences.push(
      `The steps are the context after compaction and leave out ${folded} model call(s) that were folded away; final_metrics totals the whole path.`,
    );
  return sentences.join(' ');
}
