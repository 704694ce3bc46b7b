/** From a trajectory to a document: atif-export 5, with links and subagents (8). */

import { FIRST_HASHED_MINOR, FIRST_REDACTED_MINOR, LATEST_MINOR } from '../session/header.ts';
import type { CompactionEntry, ItemEntry } from '../session/model.ts';
import type { Session } from '../session/session.ts';
import { applyCheckpoint, applyConfig, EMPTY_SETTINGS, type Settings } from '../session/settings.ts';
import {
  type AtifDocument,
  type JsonObject,
  member,
  SCHEMA_VERSION,
  type Step,
  type SubagentTrajectoryRef,
} from './document.ts';
import { Members, object } from './members.ts';
import { mainDocumentName } from './names.ts';
import { type KeptLink, Pass } from './pass.ts';
import type { Preference } from './preferences.ts';
import { type Redactor, redact } from './redact.ts';
import type { SharedSession } from './sharedSession.ts';
import { ResultDraft } from './stepDraft.ts';
import { noteOf, totals } from './totals.ts';
import { at, isTrajectory, mainTrajectory, type Trajectory } from './trajectory.ts';
import { SessionTree } from './tree.ts';
import type { Cost } from './usage.ts';
import { shareText } from './write.ts';

export interface AtifOptions {
  readonly agentName?: string;
  readonly agentVersion?: string;
  /** Reported instead of the real model names. */
  readonly modelName?: string;
  readonly cost?: Cost;
  /** A session that a link names, to be embedded. One that cannot be had is referenced as a file. */
  readonly subsessions?: (sessionId: string) => Session | undefined | Promise<Session | undefined>;
  /** At forks of embedded sessions. */
  readonly preferences?: readonly Preference[];
  /** Run over the finished document, in order. */
  readonly redactors?: readonly Redactor[];
  readonly notes?: string;
}

/** The format that is read into memory and written (6.2). */
export const WRITTEN_FORMAT = `agentsession/0.${LATEST_MINOR}`;

/** Sessions embedded in one document at most, at all depths; those past it are referenced as files. */
const MOST_EMBEDDED = 1000;

const NO_OPTIONS: AtifOptions = {};

/** What one export and everything embedded in it share. */
interface Export {
  readonly options: AtifOptions;
  /** Sessions that are being embedded further up. */
  readonly open: ReadonlySet<string>;
  readonly trees: Map<string, SessionTree | undefined>;
  readonly budget: { left: number };
}

/** The document of a trajectory. It is not validated here: a path with nothing to show has no steps, which the writer refuses (5.7). */
export async function toAtif(trajectory: Trajectory, options: AtifOptions = NO_OPTIONS): Promise<AtifDocument> {
  const { id } = trajectory.tree.session.header;
  const document = await convert(trajectory, {
    options,
    open: new Set([id]),
    trees: new Map(),
    budget: { left: MOST_EMBEDDED },
  });
  return redact(document, ...(options.redactors ?? []));
}

async function convert(trajectory: Trajectory, exporting: Export): Promise<AtifDocument> {
  const { options } = exporting;
  const { tree } = trajectory;
  const { session } = tree;
  const { header } = session;
  const sums = totals(session, trajectory, options.cost);
  const pass = new Pass(session, trajectory, sums, options.modelName ?? '');
  pass.run();
  const extra = pass.rootExtra;
  rootExtra(extra, trajectory, session);
  extra.absorb(pass.pending);
  const embedded: AtifDocument[] = [];
  for (const link of pass.links) await attach(link, pass, trajectory, embedded, exporting);
  const steps = finishSteps(pass, tree, options);
  const line = noteOf(sums, steps.length);
  const notes = [options.notes ?? '', line].filter((text) => text !== '').join('\n');
  const outcomes = pass.outcomes.items.length === 0 ? undefined : Members.of([['outcome', pass.outcomes]]).whole();
  const finished = extra.finish();
  return {
    schema_version: SCHEMA_VERSION,
    session_id: header.id,
    trajectory_id: trajectory.leafId,
    agent: agentOf(trajectory, session, options),
    steps,
    ...(notes === '' ? {} : { notes }),
    final_metrics: {
      total_prompt_tokens: sums.prompt,
      total_completion_tokens: sums.completion,
      total_cached_tokens: sums.cached,
      ...(sums.cost === undefined ? {} : { total_cost_usd: sums.cost }),
      total_steps: sums.calls,
      ...(outcomes === undefined ? {} : { extra: outcomes }),
    },
    ...(finished === undefined ? {} : { extra: finished }),
    ...(embedded.length === 0 ? {} : { subagent_trajectories: embedded }),
  };
}

/** The finished steps. Those that another path of the session has as well are the same objects, with the text that they have in files. */
function finishSteps(pass: Pass, tree: SessionTree, options: AtifOptions): readonly Step[] {
  const known = tree.stepsOf(options);
  if (known === undefined) return pass.steps.map((step, i) => step.finish(i + 1));
  const fold = pass.fold ?? 'none';
  return pass.steps.map((step, i) => {
    if (!step.isShareable) return step.finish(i + 1);
    const key = `${i + 1} ${fold}${step.madeOf}`;
    const found = known.get(key);
    if (found !== undefined) {
      shareText(found);
      return found;
    }
    const made = step.finish(i + 1);
    known.set(key, made);
    return made;
  });
}

/** Atif-export 5.1. */
function agentOf(trajectory: Trajectory, session: SharedSession, options: AtifOptions): AtifDocument['agent'] {
  const { harness } = session.header;
  const settings = firstSettings(trajectory, session);
  const version = options.agentVersion || (options.agentName ? '' : harness?.version) || WRITTEN_FORMAT;
  const model = options.modelName || settings.model;
  const tools = settings.tools.map(({ json }) => toolDefinition(JSON.parse(json) as JsonObject));
  return {
    name: options.agentName || harness?.name || 'agentsession',
    version,
    ...(model === '' ? {} : { model_name: model }),
    ...(tools.length === 0 ? {} : { tool_definitions: tools }),
  };
}

const BESIDE_FIRST_SETTINGS: ReadonlySet<string> = new Set([
  'env',
  'info',
  'label',
  'custom',
  'run',
  'dispatch',
  'decision',
]);

function firstSettings({ context }: Trajectory, session: SharedSession): Settings {
  const [first] = context.selected;
  if (first !== undefined && session.kind(first) === 'compaction')
    return applyCheckpoint((session.entry(first) as CompactionEntry).config);
  let settings = EMPTY_SETTINGS;
  for (const index of context.selected) {
    if (BESIDE_FIRST_SETTINGS.has(session.kind(index))) continue;
    const entry = session.entry(index);
    if (entry.kind !== 'config') break;
    settings = applyConfig(settings, entry);
  }
  return settings;
}

function toolDefinition(tool: JsonObject): JsonObject {
  if (member(tool, 'type') !== 'function') return tool;
  return {
    type: 'function',
    function: object([
      ['name', member(tool, 'name')],
      ['description', member(tool, 'description') ?? ''],
      ['parameters', member(tool, 'parameters')],
      ['strict', member(tool, 'strict')],
    ]),
  };
}

/** Atif-export 6.2. */
function rootExtra(extra: Members, trajectory: Trajectory, session: SharedSession): void {
  const { header } = session;
  const { tree } = trajectory;
  extra.set('openresponses', { payload: header.payload });
  const labels = new Members();
  for (const [target, label] of tree.labels) labels.set(target, label);
  extra.set(
    'agentsession',
    Members.of([
      ['format', presentedFormat(session)],
      ['leaf', trajectory.leafId],
      ['cwd', header.cwd],
      ['parent_session', header.parentSession],
      ['spawned_by', header.spawnedBy],
      ['records', header.records.length > 0 ? header.records : undefined],
      ['name', tree.name === '' ? undefined : tree.name],
      ['labels', labels.size > 0 ? labels : undefined],
      ['main', trajectory.main ? true : undefined],
    ]),
  );
  if (trajectory.preferredOver.length > 0) extra.set('preferred_over', trajectory.preferredOver);
  if (trajectory.abandonedAt !== '') extra.set('abandoned_at', trajectory.abandonedAt);
}

/** The header's format once it is raised in memory, or its own where that is refused (session-format 2.6). */
function presentedFormat({ header, holdsEarlyRedacted }: Session): string {
  const refused = header.minor < FIRST_REDACTED_MINOR && (header.holdsRedactedFrom || holdsEarlyRedacted);
  if (!refused) return WRITTEN_FORMAT;
  return header.minor < FIRST_HASHED_MINOR ? `agentsession/0.${FIRST_REDACTED_MINOR - 1}` : header.format;
}

/** Atif-export 8. */
async function attach(
  { entry, record }: KeptLink,
  pass: Pass,
  trajectory: Trajectory,
  embedded: AtifDocument[],
  exporting: Export,
): Promise<void> {
  if (entry.rel !== 'subsession' || entry.url !== undefined || entry.cancel || entry.session === '') {
    pass.rootExtra.append('links', record);
    return;
  }
  const leaf = answeringLeaf(trajectory, entry.callId, entry.session);
  const document = await embed(entry.session, leaf, exporting);
  if (document !== undefined && !embedded.some(({ trajectory_id: id }) => id === document.trajectory_id))
    embedded.push(document);
  const reference: SubagentTrajectoryRef = {
    ...(document !== undefined
      ? { trajectory_id: document.trajectory_id as string }
      : leaf !== undefined
        ? { trajectory_id: `${entry.session}/${leaf}` }
        : {}),
    session_id: entry.session,
    ...(document === undefined ? { trajectory_path: mainDocumentName(entry.session) } : {}),
    extra: { ...(leaf === undefined ? {} : { child_leaf: leaf }), entry_id: entry.id },
  };
  const step = entry.callId === undefined ? undefined : pass.stepOfCall.get(entry.callId);
  if (step === undefined) {
    record.set('subagent_trajectory_ref', reference as JsonObject);
    pass.rootExtra.append('links', record);
    return;
  }
  let result = step.results?.find(({ sourceCallId }) => sourceCallId === entry.callId);
  if (result === undefined) {
    result = new ResultDraft(entry.callId, '');
    step.addResult(result);
  }
  result.references.push(reference);
  step.isShareable = false;
}

/** The entry of the other session that a call's output names among its `parents`. */
function answeringLeaf({ tree, path }: Trajectory, callId: string | undefined, sessionId: string): string | undefined {
  if (callId === undefined) return undefined;
  const { session } = tree;
  const output = path.find((index) => {
    if (session.kind(index) !== 'item') return false;
    const { item } = session.entry(index) as ItemEntry;
    return item.type === 'function_call_output' && item.callId === callId;
  });
  if (output === undefined) return undefined;
  return session.entry(output).parents.find((reference) => reference.session === sessionId)?.entry;
}

/** The document of another session, named `session/leaf`; undefined where it is to be referenced as a file (8, step 4). */
async function embed(
  sessionId: string,
  leaf: string | undefined,
  exporting: Export,
): Promise<AtifDocument | undefined> {
  const { options, open, budget } = exporting;
  if (options.subsessions === undefined || open.has(sessionId) || budget.left <= 0) return undefined;
  const tree = await treeOf(sessionId, exporting);
  if (tree === undefined) return undefined;
  const preferences = options.preferences ?? [];
  const found = leaf === undefined ? mainTrajectory(tree, ...preferences) : at(tree, leaf, ...preferences);
  if (found === undefined || !isTrajectory(found)) return undefined;
  budget.left--;
  const { notes: _, redactors: __, ...inner } = options;
  const document = await convert(found, { ...exporting, options: inner, open: new Set([...open, sessionId]) });
  if (document.steps.length === 0) return undefined;
  return { ...document, trajectory_id: `${sessionId}/${found.leafId}` };
}

async function treeOf(sessionId: string, { options, trees }: Export): Promise<SessionTree | undefined> {
  if (trees.has(sessionId)) return trees.get(sessionId);
  let session: Session | undefined;
  try {
    session = await options.subsessions?.(sessionId);
  } catch {
    // A session that cannot be had is referenced as a file (13).
  }
  const tree = session === undefined ? undefined : new SessionTree(session);
  trees.set(sessionId, tree);
  return tree;
}
