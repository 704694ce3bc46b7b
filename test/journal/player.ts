/**
 * Plays scenarios: turns, tools, crashes, decisions, from a JSON file, through the writer and as the engine would (journal 5.1 to 5.4). It makes
 * journals for tests and demonstrations, and carries the promise that matters most: an unsafe side effect fires at most once, whatever
 * crashes. The file's form is schemas/scenario.schema.json.
 */
import { signDecision } from '../../src/approval/decision.ts';
import { GateIndex } from '../../src/approval/gateIndex.ts';
import type { QuorumPolicy } from '../../src/approval/policy.ts';
import { submitDecision } from '../../src/approval/submit.ts';
import { tallyApprovals, terminalTally } from '../../src/approval/tally.ts';
import { passed, readRequesters, unreachable, writeTally } from '../../src/approval/values.ts';
import { keyVerifier } from '../../src/approval/verifier.ts';
import { concat, u32, utf8 } from '../../src/bytes/encoding.ts';
import { importPrivateKey, importPublicKey, isUnusable } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../../src/crypto/signature.ts';
import { promptDigest, toolsDigest } from '../../src/journal/digests.ts';
import { names } from '../../src/journal/names.ts';
import { DENIED } from '../../src/journal/outcomes.ts';
import { encodePolicy } from '../../src/journal/policy.ts';
import type { JournalStore } from '../../src/journal/port.ts';
import type { Part, RawJson } from '../../src/journal/record.ts';
import { findToolCall, haltsOf, type Replay, replay } from '../../src/journal/replay.ts';
import { resolveHalt } from '../../src/journal/resolve.ts';
import { jsonText, waitValue } from '../../src/journal/write-values.ts';
import { JournalWriter } from '../../src/journal/writer.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';

export interface ToolScript {
  readonly name: string;
  readonly description?: string;
  readonly schema?: unknown;
  readonly read_only?: boolean;
  readonly idempotent?: boolean;
  readonly gate?:
    | 'single'
    | { readonly need: number; readonly approvers: readonly string[]; readonly exclude_principal?: boolean };
  readonly compensates?: boolean;
}
export interface CallScript {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
  /** What the tool does: a value, a known failure, or a connection that is lost after the effect. */
  readonly returns?: unknown;
  readonly fails?: string;
  readonly lost?: boolean;
}
export interface TurnScript {
  readonly text?: string;
  readonly calls?: readonly CallScript[];
  /** Somebody cancels while the model thinks about this turn. */
  readonly cancelled?: string;
}
export interface StepScript {
  readonly name: string;
  readonly returns: unknown;
  readonly retry_safe?: boolean;
}
export interface DecisionScript {
  readonly call: string;
  readonly approved: boolean;
  /** Absent on a one-decision gate. */
  readonly approver?: string;
}
export interface Scenario {
  readonly about: string;
  readonly run: string;
  readonly input: string;
  readonly saga?: boolean;
  readonly system?: readonly string[];
  readonly principal?: string;
  readonly steps?: readonly StepScript[];
  readonly signals?: readonly { readonly name: string; readonly payload: unknown }[];
  readonly tools: readonly ToolScript[];
  readonly turns: readonly TurnScript[];
  readonly decisions?: readonly DecisionScript[];
}

/** A process died. Nothing of it goes on after this. */
export class Crash extends Error {}

/** What really happened outside the journal. */
export class World {
  readonly fired = new Map<string, number>();
  fire(effect: string): void {
    this.fired.set(effect, (this.fired.get(effect) ?? 0) + 1);
  }
}

/** A process: its store, its randomness, its clock, and whether it is alive. */
export interface Process {
  readonly store: JournalStore;
  random(length: number): Uint8Array;
  now(): bigint;
  /** Throws Crash once the process is dead. */
  alive(): void;
}

/** Bytes that look random and are the same every time: SHA-256 of a seed and a counter. */
export function seededRandom(seed: string): (length: number) => Uint8Array {
  let counter = 0;
  return (length) => sha256(concat(utf8(seed), u32(counter++))).slice(0, length);
}

/** A clock that starts at an instant and moves by 7 milliseconds each time it is read. */
export function steppingClock(start: bigint): () => bigint {
  let now = start;
  return () => {
    now += 7_000_000n;
    return now;
  };
}

export const START = 1_791_892_800_000_000_000n;
const raw = (value: unknown): RawJson => utf8(JSON.stringify(value));

export type Drive = 'completed' | 'aborted' | 'cancelled' | 'paused' | 'halted';

const approverKeys = new Map<string, { private: PrivateKey; public: PublicKey }>();

/** The key of an approver of a scenario, made from the name. */
export async function approverKey(approver: string): Promise<{ private: PrivateKey; public: PublicKey }> {
  const held = approverKeys.get(approver);
  if (held !== undefined) return held;
  const key = await importPrivateKey('ed25519', sha256(utf8(`scenario approver ${approver}`)));
  if (isUnusable(key)) throw new Error('the key of a scenario is unusable');
  const own = await importPublicKey('ed25519', key.publicKey.bytes);
  if (isUnusable(own)) throw new Error('the key of a scenario is unusable');
  const pair = { private: key, public: own };
  approverKeys.set(approver, pair);
  return pair;
}

function ended(run: Replay | undefined): Drive | undefined {
  switch (run?.ends[0]?.name) {
    case 'run:complete':
      return 'completed';
    case 'run:aborted':
      return 'aborted';
    case 'run:cancelled':
      return 'cancelled';
    default:
      return undefined;
  }
}

/** One drive of a scenario's run by one process. */
export class Driver {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #process: Process;
  readonly #writer: JournalWriter;
  readonly #tools: ReadonlyMap<string, ToolScript>;
  readonly #calls: ReadonlyMap<string, CallScript>;

  constructor(scenario: Scenario, world: World, process: Process) {
    this.#scenario = scenario;
    this.#world = world;
    this.#process = process;
    this.#writer = new JournalWriter(scenario.run, process);
    this.#tools = new Map(scenario.tools.map((tool) => [tool.name, tool]));
    this.#calls = new Map(scenario.turns.flatMap((turn) => (turn.calls ?? []).map((call) => [call.id, call])));
  }

  async #load(): Promise<Replay> {
    const journal = await this.#writer.load();
    if (journal === undefined) throw new Error('the run has no journal');
    return replay(journal);
  }

  async drive(): Promise<Drive> {
    const { input, saga = false, principal, system = [], steps = [] } = this.#scenario;
    await this.#writer.start({
      input: jsonText(input),
      saga,
      ...(principal === undefined ? {} : { principal: { onBehalfOf: principal } }),
      ...(system.length === 0 ? {} : { systemPrompt: system.join('\n') }),
      startedAt: this.#writer.now(),
    });
    let run = await this.#load();
    const over = ended(run);
    if (over !== undefined) return over;
    if (haltsOf(run).length > 0) return 'halted';
    for (const step of steps) {
      const done = await this.#writer.step(step.name, step.retry_safe === true, async () => {
        this.#process.alive();
        this.#world.fire(step.retry_safe === true ? `safe:${step.name}` : step.name);
        return raw(step.returns);
      });
      if (!done.done) return 'halted';
    }
    if (saga && (failureOf(run) !== undefined || run.byName.has('run:cancel-requested'))) return this.#rollBack(run);
    for (;;) {
      const last = run.turns.at(-1);
      const open = last?.calls.filter(({ id }) => !run.outcomes.has(id)) ?? [];
      if (last !== undefined && last.calls.length === 0) return this.#complete();
      if (open.length === 0) {
        if (run.turns.length > 0) {
          const stop = await this.#stopped();
          if (stop !== undefined) return stop;
        }
        await this.#turn(run.turns.length);
      } else {
        const paused = await this.#runCalls(
          run,
          open.map(({ id }) => id),
        );
        if (paused !== undefined) return paused;
      }
      run = await this.#load();
      if (saga && failureOf(run) !== undefined) return this.#rollBack(run);
    }
  }

  async #stopped(): Promise<Drive | undefined> {
    const run = await this.#load();
    if (run.byName.has('run:cancel-requested')) return this.#rollBack(run);
    return ended(run);
  }

  async #complete(): Promise<Drive> {
    await this.#writer.complete();
    return ended(await this.#load()) ?? 'completed';
  }

  async #turn(number: number): Promise<void> {
    const script = this.#scenario.turns[number];
    if (script === undefined) throw new Error(`the scenario has no turn ${number}`);
    await this.#writer.do(names.turn(number), async () => {
      this.#process.alive();
      if (script.cancelled !== undefined) await this.#writer.cancel(script.cancelled);
      const calls = script.calls ?? [];
      const parts: Part[] = [
        ...(script.text === undefined ? [] : [{ type: 'text' as const, text: script.text }]),
        ...calls.map(({ id, tool, args }) => ({
          type: 'tool_use' as const,
          id,
          name: tool,
          args: raw(args),
          signature: '',
        })),
      ];
      return {
        name: names.turn(number),
        kind: 'model',
        message: { role: 'assistant', parts },
        usage: { inputTokens: 20 + number, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
        finish: calls.length > 0 ? 'tool_use' : 'stop',
        model: { provider: 'scripted', model: 'script-1', responseFormat: false },
        promptDigest: promptDigest(this.#scenario.system ?? []),
        toolsDigest: toolsDigest(
          this.#scenario.tools.map(({ name, description = '', schema = { type: 'object' } }) => ({
            name,
            description,
            schema: raw(schema),
          })),
        ),
      };
    });
  }

  /** The pre-pass in call order, then the ready calls side by side. */
  async #runCalls(run: Replay, ids: readonly string[]): Promise<Drive | undefined> {
    const ready: string[] = [];
    let waits = false;
    for (const id of ids) {
      const verdict = await this.#gate(run, id);
      if (verdict === 'approved') ready.push(id);
      else if (verdict === 'waiting') waits = true;
    }
    if (waits) return 'paused';
    const ends = await Promise.allSettled(ready.map((id) => this.#call(id)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const stops = ends.flatMap((end) => (end.status === 'fulfilled' && end.value !== undefined ? [end.value] : []));
    return stops.find((stop) => stop === 'halted') ?? stops[0];
  }

  #policyOf(id: string): RawJson | undefined {
    const gate = this.#toolOf(id).gate;
    if (gate === undefined) return undefined;
    return gate === 'single'
      ? encodePolicy({ single: true })
      : encodePolicy({ need: gate.need, approvers: gate.approvers, excludePrincipal: gate.exclude_principal ?? false });
  }

  #toolOf(id: string): ToolScript {
    const tool = this.#tools.get(this.#calls.get(id)?.tool ?? '');
    if (tool === undefined) throw new Error(`the scenario has no tool for ${id}`);
    return tool;
  }

  #safety(id: string) {
    const { read_only = false, idempotent = false } = this.#toolOf(id);
    return { readOnly: read_only, idempotent };
  }

  async #gate(run: Replay, id: string): Promise<'approved' | 'denied' | 'waiting'> {
    const tool = this.#toolOf(id);
    if (tool.gate === undefined) return 'approved';
    const denied = async () => {
      await this.#writer.record({
        name: names.tool(id),
        kind: 'tool_result',
        toolUseId: id,
        result: jsonText(DENIED),
        isError: true,
        safety: this.#safety(id),
        approval: this.#policyOf(id),
      });
      return 'denied' as const;
    };
    if (tool.gate === 'single') {
      const decision = run.gates.get(id)?.decision?.record;
      if (decision !== undefined) return decision.approved ? 'approved' : denied();
      await this.#note({ toolUseId: id, toolName: tool.name, single: true });
      return 'waiting';
    }
    const { need, approvers, exclude_principal = false } = tool.gate;
    const policy: QuorumPolicy = { kind: 'm-of-n', need, approvers, excludePrincipal: exclude_principal };
    const keys = new Map(
      await Promise.all(
        approvers.map(async (name) => [name, keyVerifier([(await approverKey(name)).public])] as const),
      ),
    );
    const subject = this.subject(run, id);
    const count = tallyApprovals({
      policy,
      subject,
      resolver: (name) => keys.get(name),
      decisions: run.gates.get(id)?.signed ?? [],
      requesters: readRequesters(run.principals),
      deadline: undefined,
    });
    if (!passed(count.tally) && !unreachable(count.tally)) {
      await this.#note({ toolUseId: id, toolName: tool.name, need, approvers, excludePrincipal: exclude_principal });
      return 'waiting';
    }
    const tally = terminalTally(count);
    await this.#writer.record({ name: names.tally(id), kind: 'value', result: writeTally(tally) });
    return passed(tally) ? 'approved' : denied();
  }

  subject(run: Replay, id: string) {
    const call = findToolCall(run, id);
    return { run: this.#scenario.run, call: id, tool: call?.name ?? '', args: call?.args };
  }

  async #note(wait: Parameters<typeof waitValue>[0]): Promise<void> {
    const result = waitValue({ ...wait, recordedAt: this.#writer.now() });
    await this.#writer.record({ name: names.pauseNote(wait.toolUseId), kind: 'value', result });
  }

  /** One tool call (journal 5.3). */
  async #call(id: string): Promise<Drive | undefined> {
    const call = this.#calls.get(id) as CallScript;
    const safety = this.#safety(id);
    const unsafe = !safety.readOnly && !safety.idempotent;
    if (unsafe) {
      const claim = await this.#writer.claimNext(names.toolAttempt(id), id);
      if (!claim.won) return (await this.#writer.get(names.tool(id))) === undefined ? 'halted' : undefined;
      const end = await this.#writer.end();
      if (end !== undefined) {
        await this.#writer.notStarted(claim.marker, claim.claim, id);
        return ended(await this.#load());
      }
    }
    this.#process.alive();
    this.#world.fire(unsafe ? id : `safe:${id}`);
    if (call.lost === true && unsafe) return 'halted';
    const failed = call.fails !== undefined || (call.lost === true && !unsafe);
    await this.#writer.record({
      name: names.tool(id),
      kind: failed && this.#scenario.saga === true ? 'saga_fail' : 'tool_result',
      toolUseId: id,
      result: failed ? jsonText(call.fails ?? 'the connection was lost') : raw(call.returns ?? null),
      isError: failed && this.#scenario.saga !== true,
      safety,
      approval: this.#policyOf(id),
    });
    return undefined;
  }

  /** Calls of all turns, last first; what completed and can be compensated is (journal 4.9). */
  async #rollBack(run: Replay): Promise<Drive> {
    const calls = run.turns.flatMap((turn) => turn.calls).reverse();
    for (const { id } of calls) {
      const outcome = run.outcomes.get(id)?.[0]?.record;
      if (outcome === undefined || outcome.kind === 'saga_fail' || outcome.isError) continue;
      if (this.#toolOf(id).compensates !== true || run.byName.has(names.compensation(id))) continue;
      this.#process.alive();
      this.#world.fire(`safe:compensate ${id}`);
      await this.#writer.record({ name: names.compensation(id), kind: 'value' });
    }
    const reason = failureOf(run);
    if (reason === undefined) await this.#writer.cancelled('asked to cancel');
    else await this.#writer.abort(reason);
    return ended(await this.#load()) ?? 'aborted';
  }

  /** What people do when a drive stops: they decide, or find out what happened and say so. */
  async people(): Promise<void> {
    const run = await this.#load();
    for (const { effect } of haltsOf(run)) {
      const happened = this.#world.fired.has(effect.op);
      const script =
        this.#calls.get(effect.op)?.returns ?? this.#scenario.steps?.find(({ name }) => name === effect.op)?.returns;
      await resolveHalt(this.#writer, {
        kind: effect.kind,
        op: effect.op,
        cause: 'crashed',
        result: happened ? raw(script ?? 'it happened') : jsonText('it did not happen'),
        isError: !happened,
        evidence: raw({ looked_at: 'the ledger', happened }),
        nowMs: this.#process.now() / 1_000_000n,
      });
    }
    for (const { name, payload } of this.#scenario.signals ?? []) {
      if (!run.byName.has(names.signal(name))) await this.#writer.signal(name, raw(payload));
    }
    for (const decision of this.#scenario.decisions ?? []) {
      if (!run.calls.has(decision.call) || run.outcomes.has(decision.call)) continue;
      if (decision.approver === undefined) await this.#writer.approve(decision.call, decision.approved);
      else await this.#sign(run, decision.call, decision.approver, decision.approved);
    }
  }

  async #sign(run: Replay, id: string, approver: string, approved: boolean): Promise<void> {
    if (run.gates.get(id)?.signed.some(({ record }) => record.approver === approver) === true) return;
    const decidedAt = this.#writer.now();
    const signed = signDecision(
      this.subject(run, id),
      { approver, approved, decidedAt },
      (await approverKey(approver)).private,
    );
    if ('problem' in signed) throw new Error(signed.problem);
    const now = parseInstant(this.#writer.now()) as Instant;
    const submission = submitDecision({ index: new GateIndex(run.journal), decision: signed, now });
    if (submission.outcome === 'refused') throw new Error(submission.problem);
    if (submission.outcome === 'write') await this.#writer.record(submission.record);
  }
}

/** Text of the failure that aborts a saga (journal 4.9). */
function failureOf(run: Replay): string | undefined {
  for (const [, list] of run.outcomes) {
    for (const { record } of list) {
      const denied = record.isError && new TextDecoder().decode(record.result) === JSON.stringify(DENIED);
      if (record.kind === 'saga_fail' || (record.isError && !denied))
        return String(JSON.parse(new TextDecoder().decode(record.result)));
    }
  }
  return undefined;
}

/** Drives with people in between until the run ends. Crashes are survived by the next process. */
export async function playToEnd(scenario: Scenario, world: World, processes: () => Process): Promise<Drive> {
  for (let round = 0; round < 30; round++) {
    const driver = new Driver(scenario, world, processes());
    try {
      const end = await driver.drive();
      if (end !== 'paused' && end !== 'halted') return end;
      await driver.people();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
  throw new Error('the scenario does not come to an end');
}
