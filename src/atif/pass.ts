/**
 * The walk over a context that makes the steps: atif-export 5.2 to 5.5 with the extras of 6.3 to 6.7. Its state is that of the
 * specification, under the same names.
 */
import { compareUtf8 } from '../bytes/encoding.ts';
import { replay } from '../session/context.ts';
import type {
  BranchSummaryEntry,
  CompactionEntry,
  ConfigEntry,
  Entry,
  ItemEntry,
  LinkEntry,
  OutcomeEntry,
  ResponseEntry,
  RunEntry,
} from '../session/model.ts';
import type { EntryIndex } from '../session/session.ts';
import { applyCheckpoint, applyConfig, EMPTY_SETTINGS, type Settings } from '../session/settings.ts';
import { argumentsOf, contentOf, joinContents, logprobsOf, readableText, reasoningText } from './content.ts';
import { isArray, isObject, type Json, type JsonObject, type Metrics, member, textMember } from './document.ts';
import { List, Members, object } from './members.ts';
import * as records from './records.ts';
import type { SharedSession } from './sharedSession.ts';
import { effortOf, ResultDraft, StepDraft } from './stepDraft.ts';
import type { Totals } from './totals.ts';
import type { Trajectory } from './trajectory.ts';
import { undeclared } from './undeclared.ts';
import { type Usage, usageOf } from './usage.ts';
import { jsonText } from './write.ts';

/** The open model call. */
interface Group {
  readonly responseId: string;
  readonly items: EntryIndex[];
  readonly copied: boolean;
}

/** A link and what it says, kept until the steps are made (8). */
export interface KeptLink {
  readonly entry: LinkEntry;
  readonly record: Members;
}

export class Pass {
  readonly steps: StepDraft[] = [];
  readonly rootExtra = new Members();
  readonly links: KeptLink[] = [];
  readonly outcomes = new List();
  /** Call id to the step that holds the call, the latest one of that id. */
  readonly stepOfCall = new Map<string, StepDraft>();
  /** Extra members waiting for the next new step. */
  readonly pending = new Members();

  readonly #session: SharedSession;
  readonly #trajectory: Trajectory;
  readonly #totals: Totals;
  readonly #modelName: string;
  readonly #stepOfEntry = new Map<string, StepDraft>();
  readonly #omitted: ReadonlyMap<EntryIndex, string>;
  readonly #replaced: ReadonlyMap<EntryIndex, readonly JsonObject[]>;
  /** The compaction that the context begins with. */
  readonly fold: EntryIndex | undefined;
  /** What went into `pending` since the last new step, and whether all of it is what it will be. */
  #pendingOf = '';
  #pendingIsFinal = true;
  #settings: Settings = EMPTY_SETTINGS;
  #window: Settings = EMPTY_SETTINGS;
  #copied = false;
  #group: Group | undefined;
  #openRun: { readonly id: string; readonly record: Members } | undefined;

  /** @param modelName reported instead of the real model names; empty for those. */
  constructor(session: SharedSession, trajectory: Trajectory, totals: Totals, modelName: string) {
    this.#session = session;
    this.#trajectory = trajectory;
    this.#totals = totals;
    this.#modelName = modelName;
    const { context } = trajectory;
    this.#omitted = new Map(context.leftOut.map(({ entry, reason }) => [entry, reason]));
    const replaced = new Map<EntryIndex, JsonObject[]>();
    for (const { entry, rule, images } of context.replaced) {
      const { outputs, images: imageRule } = context.settings.omit;
      const row = object([
        ['entry_id', session.id(entry)],
        ['reason', rule],
        ['placeholder', (rule === 'outputs' ? outputs?.text : imageRule?.placeholder) ?? ''],
        ['parts', rule === 'images' ? images : undefined],
      ]);
      replaced.set(entry, [...(replaced.get(entry) ?? []), row]);
    }
    this.#replaced = replaced;
    const [first] = context.selected;
    const fold = first === undefined || session.kind(first) !== 'compaction' ? undefined : first;
    this.fold = fold;
    if (fold !== undefined) {
      const entry = session.entry(fold) as CompactionEntry;
      this.#settings = applyCheckpoint(entry.config);
      this.#window = this.#settingsBefore(entry.firstKept) ?? this.#settings;
      this.#copied = true;
    }
  }

  run(): void {
    for (const index of this.#trajectory.context.selected) {
      // Entries of the kept window stand before the compaction; the first one after it ends the window.
      if (this.#copied && index > (this.fold as EntryIndex)) {
        this.#flush();
        this.#copied = false;
      }
      this.#take(index);
    }
    this.#flush();
    for (const index of this.#trajectory.outcomes)
      this.#outcome(index, this.#session.entry(index) as OutcomeEntry, this.#session.wholeLine(index));
  }

  /** The settings in force just before an entry of the path. */
  #settingsBefore(id: string): Settings | undefined {
    const { path } = this.#trajectory;
    const kept = this.#session.find(id);
    const end = kept === undefined ? -1 : path.indexOf(kept);
    if (end < 0) return undefined;
    let settings = EMPTY_SETTINGS;
    for (const index of path.slice(0, end)) {
      const kind = this.#session.kind(index);
      if (kind === 'config' || kind === 'compaction') settings = replay(settings, this.#session.entry(index));
    }
    return settings;
  }

  #take(index: EntryIndex): void {
    this.#pendingOf += ` ${index}`;
    const entry = this.#session.entry(index);
    const line = this.#session.wholeLine(index);
    switch (entry.kind) {
      case 'item':
        this.#item(index, entry, line);
        return;
      case 'response':
        this.#response(index, entry, line);
        return;
      case 'config':
        this.#config(entry, line);
        return;
      case 'compaction':
        this.#compaction(index, entry, line);
        return;
      case 'branch_summary':
        this.#branchSummary(index, entry, line);
        return;
      case 'label':
        this.pending.append('labels', records.labelRecord(entry, line));
        return;
      case 'info':
        this.pending.append('info', records.infoRecord(entry, line));
        return;
      case 'custom':
        this.pending.append('custom', records.customRecord(entry, line));
        return;
      case 'queued':
        this.pending.append('queued', records.queuedRecord(entry, line));
        return;
      case 'env': {
        const of = this.rootExtra.has('environment') ? this.pending : this.rootExtra;
        of.set('environment', records.environmentRecord(entry, line));
        return;
      }
      case 'outcome':
        this.#outcome(index, entry, line);
        return;
      case 'link':
        this.links.push({ entry, record: records.linkRecord(entry, line) });
        return;
      case 'run':
        this.#run(entry, line);
        return;
      case 'decision':
        this.#callExtra(entry.callId, index).append('decisions', records.decisionRecord(entry, line));
        return;
      case 'dispatch': {
        const call = this.#callExtra(entry.callId, index);
        const made = records.dispatchRecord(entry, line);
        const first = call.get('dispatch');
        if (first === undefined) {
          call.set('dispatch', made);
          return;
        }
        if (!call.has('dispatches')) call.append('dispatches', first);
        call.append('dispatches', made);
        return;
      }
      case 'extension':
        this.pending.append('extensions', line);
        return;
    }
  }

  /** Atif-export 5.3. */
  #item(index: EntryIndex, entry: ItemEntry, line: JsonObject): void {
    const item = member(line, 'item') as JsonObject;
    const { type, role, callId = '' } = entry.item;
    const isOutput = (type === 'message' && role === 'assistant') || type === 'reasoning' || type === 'function_call';
    const responseId = entry.response ?? '';
    if (responseId !== '' || isOutput) {
      const open = this.#group?.responseId ?? '';
      if (open !== '' && responseId !== '' && open !== responseId) this.#flush();
      const group = this.#group ?? { responseId, items: [], copied: this.#copied };
      group.items.push(index);
      this.#group = group.responseId === '' && responseId !== '' ? { ...group, responseId } : group;
      return;
    }
    this.#flush();
    if (type === 'function_call_output') {
      const step = this.stepOfCall.get(callId);
      const content = contentOf(member(item, 'output'));
      if (step !== undefined) {
        const result = new ResultDraft(callId, content);
        this.#itemExtra(result.extra, index, entry, line, step);
        step.addResult(result);
        step.note(`result:${index}`);
        this.#stepOfEntry.set(entry.id, step);
        return;
      }
      const orphan = new StepDraft('system', '');
      orphan.addResult(new ResultDraft(undefined, content));
      this.#itemExtra(orphan.extra, index, entry, line, orphan);
      orphan.extra.set('orphan_call_id', callId);
      this.#add(orphan, entry);
      return;
    }
    if (type === 'message') {
      const step = new StepDraft(role === 'user' ? 'user' : 'system', contentOf(member(item, 'content')));
      this.#itemExtra(step.extra, index, entry, line, step);
      if (role !== 'user') step.extra.set('role', role ?? '');
      this.#add(step, entry);
      return;
    }
    const step = new StepDraft(textMember(item, 'role') === 'user' ? 'user' : 'system', readableText(item));
    this.#itemExtra(step.extra, index, entry, line, step);
    step.extra.set('item_type', type);
    this.#add(step, entry);
  }

  /** Atif-export 6.3. */
  #itemExtra(extra: Members, index: EntryIndex, entry: ItemEntry, line: JsonObject, step: StepDraft): void {
    extra.set('openresponses', Members.of([['item', member(line, 'item')]]));
    if (!entry.visible) extra.set('visible', false);
    if (entry.source !== undefined) extra.set('source', member(line, 'source'));
    extra.set('queued_from', entry.queuedFrom);
    if (entry.failed) extra.set('failed', true);
    extra.set('from_link', entry.fromLink);
    this.#markOmitted(extra, [index], step);
    extra.copy(undeclared(entry, line));
  }

  /** Atif-export 9.1, 9.2. */
  #markOmitted(extra: Members, items: readonly EntryIndex[], step: StepDraft): void {
    for (const index of items) {
      const reason = this.#omitted.get(index);
      if (reason !== undefined) step.note(`omitted:${index}:${reason}`);
      for (const row of this.#replaced.get(index) ?? []) step.note(`replaced:${jsonText(row)}`);
      if (reason !== undefined) extra.append('omitted', { entry_id: this.#session.id(index), reason });
      for (const row of this.#replaced.get(index) ?? []) extra.append('replaced', row);
    }
  }

  #response(index: EntryIndex, entry: ResponseEntry, line: JsonObject): void {
    const open = this.#group?.responseId ?? '';
    if (open !== '' && open !== entry.responseId) this.#flush();
    this.#flush({ index, entry, line });
  }

  /** Atif-export 5.4: makes the step of the open model call. */
  #flush(response?: { readonly index: EntryIndex; readonly entry: ResponseEntry; readonly line: JsonObject }): void {
    const group = this.#group ?? { responseId: '', items: [], copied: this.#copied };
    if (this.#group === undefined && response === undefined) return;
    this.#group = undefined;
    const session = this.#session;
    const entries = group.items.map((index) => session.entry(index) as ItemEntry);
    const items = group.items.map((index) => member(session.wholeLine(index), 'item') as JsonObject);
    const ofType = (type: string): readonly JsonObject[] => items.filter((item) => textMember(item, 'type') === type);
    const inForce = group.copied ? this.#window : this.#settings;
    const messages = ofType('message').map((item) => contentOf(member(item, 'content')));
    const reasoning = ofType('reasoning')
      .map(reasoningText)
      .filter((text) => text !== '');
    const calls = ofType('function_call').map((item) => ({
      tool_call_id: textMember(item, 'call_id') ?? '',
      function_name: textMember(item, 'name') ?? '',
      arguments: argumentsOf(textMember(item, 'arguments') ?? ''),
    }));
    const usage = usageOf(response && member(response.line, 'usage'));
    const model = this.#modelName || response?.entry.model || inForce.model;
    const step = new StepDraft('agent', messages.length === 0 ? '' : joinContents(messages), {
      modelName: model,
      effort: effortIn(inForce),
      reasoning: reasoning.join('\n'),
      calls,
      metrics: metricsOf(usage, response && this.#totals.costs.get(response.index), items),
      callCount: response?.entry.attempts ?? 1,
    });
    step.isCopied = group.copied;
    this.#agentExtra(step, group, entries, items, response);
    if (response !== undefined) step.note(`cost:${this.#totals.costs.get(response.index)}`);
    const first = response?.entry ?? entries[0];
    if (first !== undefined) this.#add(step, first);
    for (const entry of entries) this.#stepOfEntry.set(entry.id, step);
    for (const { tool_call_id } of calls) this.stepOfCall.set(tool_call_id, step);
  }

  /** Atif-export 6.4. */
  #agentExtra(
    step: StepDraft,
    group: Group,
    entries: readonly ItemEntry[],
    items: readonly JsonObject[],
    response: { readonly entry: ResponseEntry; readonly line: JsonObject } | undefined,
  ): void {
    const { extra } = step;
    const raw = Members.of([['items', items]]);
    extra.set('openresponses', raw);
    if (entries.length > 0)
      extra.set(
        'item_entry_ids',
        entries.map(({ id }) => id),
      );
    const phases = items
      .filter((item) => textMember(item, 'type') === 'message')
      .map((item) => textMember(item, 'phase') ?? '')
      .filter((phase) => phase !== '');
    if (phases.length > 0) extra.set('phases', phases);
    if (response === undefined) {
      if (group.responseId !== '') extra.set('response_id', group.responseId);
    } else {
      const { entry, line } = response;
      const { type: _, id: __, parent: ___, ...body } = line;
      const recorded = new Members();
      recorded.copy(body);
      recorded.set('entry_id', entry.id);
      raw.set('response', recorded);
      if (entry.status !== '' && entry.status !== 'completed') extra.set('status', entry.status);
      if (entry.error !== undefined) extra.set('error', member(line, 'error'));
      const reason = entry.incomplete === undefined ? '' : (textMember(member(line, 'incomplete'), 'reason') ?? '');
      if (reason !== '') extra.set('incomplete', reason);
      if (entry.latencyMs !== undefined && entry.latencyMs > 0) extra.set('latency_ms', entry.latencyMs);
    }
    this.#markOmitted(extra, group.items, step);
    group.items.forEach((index, i) => {
      extra.copy(undeclared(entries[i] as ItemEntry, this.#session.wholeLine(index)));
    });
    if (response !== undefined) extra.copy(undeclared(response.entry, response.line));
  }

  #config(entry: ConfigEntry, line: JsonObject): void {
    const before = this.#copied ? this.#window : this.#settings;
    const after = applyConfig(before, entry);
    if (this.#copied) this.#window = after;
    else this.#settings = after;
    const [had, has] = [toolNames(before), toolNames(after)];
    const added = [...has].filter((name) => !had.has(name)).sort(compareUtf8);
    const removed = [...had].filter((name) => !has.has(name)).sort(compareUtf8);
    if (added.length + removed.length > 0)
      this.pending.set(
        'tool_changes',
        Members.of([
          ['added', added.length > 0 ? added : undefined],
          ['removed', removed.length > 0 ? removed : undefined],
        ]),
      );
    this.pending.append('config_entries', entry.id);
    const unknown = undeclared(entry, line);
    if (Object.keys(unknown).length === 0) return;
    const extension = Members.of([['entry_id', entry.id]]);
    extension.copy(unknown, true);
    this.pending.append('config_extensions', extension);
  }

  #compaction(index: EntryIndex, entry: CompactionEntry, line: JsonObject): void {
    this.#flush();
    const summary = member(line, 'summary') as JsonObject;
    const text = readableText(summary);
    const step = new StepDraft('system', text);
    step.addResult(new ResultDraft(undefined, text));
    const { extra } = step;
    extra.set('context_management', { boundary: 'replace', type: 'compaction' });
    // One that lies inside the kept window is not sent, so its items are not the context's (16, 15).
    if (index === this.fold) {
      const pinned = member(line, 'pinned');
      extra.set(
        'openresponses',
        Members.of([
          ['item', summary],
          ['pinned', isArray(pinned) && pinned.length > 0 ? pinned : undefined],
        ]),
      );
    }
    extra.set('first_kept', entry.firstKept);
    if (entry.tokensBefore !== undefined && entry.tokensBefore > 0) extra.set('tokens_before', entry.tokensBefore);
    this.#addFold(step, index, entry, line);
  }

  #branchSummary(index: EntryIndex, entry: BranchSummaryEntry, line: JsonObject): void {
    this.#flush();
    const summary = member(line, 'summary') as JsonObject;
    const isMessage = textMember(summary, 'type') === 'message';
    const step = new StepDraft('system', isMessage ? contentOf(member(summary, 'content')) : readableText(summary));
    step.extra.set('branch_from', entry.from);
    step.extra.set('openresponses', Members.of([['item', summary]]));
    this.#addFold(step, index, entry, line);
  }

  /** What both kinds of fold end with. */
  #addFold(step: StepDraft, index: EntryIndex, entry: CompactionEntry | BranchSummaryEntry, line: JsonObject): void {
    const usage = member(line, 'usage');
    if (isObject(usage)) step.extra.set('usage', usage);
    step.extra.set('cost_usd', this.#totals.costs.get(index));
    step.note(`cost:${this.#totals.costs.get(index)}`);
    step.extra.copy(undeclared(entry, line));
    step.isCopied = true;
    this.#add(step, entry);
  }

  /** Atif-export 6.7. */
  #outcome(index: EntryIndex, entry: OutcomeEntry, line: JsonObject): void {
    const made = records.outcomeRecord(entry, line);
    this.outcomes.items.push(made);
    const step = entry.target === undefined ? undefined : this.#stepOfEntry.get(entry.target);
    step?.note(`outcome:${index}`);
    step?.extra.append('outcome', made);
  }

  /** Atif-export 6.6. */
  #run(entry: RunEntry, line: JsonObject): void {
    // A run's end changes the record of its start later on.
    this.#pendingIsFinal = false;
    if (entry.phase === 'start') {
      const record = records.runStartRecord(entry, line);
      this.#openRun = { id: entry.runId, record };
      this.pending.append('run', record);
      return;
    }
    const end = records.runEndRecord(entry, line);
    if (this.#openRun?.id === entry.runId) {
      this.#openRun.record.absorb(end);
      return;
    }
    const record = Members.of([['run_id', entry.runId]]);
    record.absorb(end);
    this.pending.append('run', record);
  }

  /** The record of a call: in the extra of the step that holds it, else in the root's. */
  #callExtra(callId: string, from: EntryIndex): Members {
    const step = this.stepOfCall.get(callId);
    step?.note(`call:${from}`);
    const extra = step?.extra ?? this.rootExtra;
    return extra.object('calls').object(callId);
  }

  /** Atif-export 5.5, "Adding a step". */
  #add(step: StepDraft, entry: Entry): void {
    step.timestamp = entry.ts;
    if (this.#copied) step.isCopied = true;
    step.extra.set('agentsession', { entry_id: entry.id });
    step.extra.absorb(this.pending);
    // The entry stands for everything above it on its path; what came after it and still went in is named.
    step.note(`${entry.id}${this.#pendingOf}`);
    step.isShareable = this.#pendingIsFinal;
    this.#pendingOf = '';
    this.#pendingIsFinal = true;
    this.steps.push(step);
    this.#stepOfEntry.set(entry.id, step);
  }
}

function toolNames(settings: Settings): ReadonlySet<string> {
  return new Set(settings.tools.map(({ name }) => name).filter((name) => name !== ''));
}

function effortIn(settings: Settings): string | number | undefined {
  return settings.reasoning === undefined
    ? undefined
    : effortOf(member(JSON.parse(settings.reasoning) as Json, 'effort'));
}

function metricsOf(
  usage: Usage | undefined,
  cost: number | undefined,
  items: readonly JsonObject[],
): Metrics | undefined {
  const logprobs = usage !== undefined && usage.reasoning > 0 ? undefined : logprobsOf(items);
  if (usage === undefined) return logprobs === undefined ? undefined : { logprobs };
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    cached_tokens: usage.cached,
    ...(cost === undefined ? {} : { cost_usd: cost }),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(usage.reasoning > 0 ? { extra: { reasoning_tokens: usage.reasoning } } : {}),
  };
}
