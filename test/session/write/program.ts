/**
 * Random programs of writer calls. What the writer refuses is passed over; whatever it accepts is in the session, and the session must
 * verify.
 */
import { createHash } from 'node:crypto';
import { concat } from '../../../src/bytes/encoding.ts';
import { memorySource } from '../../../src/bytes/source.ts';
import type { JsonObject } from '../../../src/json/tree.ts';
import { SessionChecker } from '../../../src/session/check.ts';
import { readSession } from '../../../src/session/read.ts';
import { redactSession } from '../../../src/session/redact/redact.ts';
import type { EntryIndex } from '../../../src/session/session.ts';
import {
  compact,
  compactKeeping,
  contextAtLeaf,
  endRun,
  recordResponse,
  startRun,
  summarizeBranch,
} from '../../../src/session/write/build.ts';
import { continueSession, createSession, fork } from '../../../src/session/write/create.ts';
import { configDelta, configFromRequest, omitDelta, type WantedSettings } from '../../../src/session/write/deltas.ts';
import { draft, type EntryDraft } from '../../../src/session/write/draft.ts';
import { SessionError } from '../../../src/session/write/error.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { type JsonValue, objectOfValue } from '../../../src/session/write/value.ts';
import { type Body, canonical, type Value } from '../draft.ts';

/** One call: which, and two numbers that say with what. */
export type Step = readonly [op: number, a: number, b: number];

export interface ProgramOptions {
  /** Texts come from here, so that a test can plant what it looks for. */
  readonly text: (n: number) => string;
}

const PLAIN: ProgramOptions = { text: (n) => `text ${n % 13}` };

export function linesOf(session: LiveSession): Uint8Array {
  const end = new Uint8Array([0x0a]);
  return concat(...[...session.lines()].flatMap((line) => [line, end]));
}

/** The hashes of every text, value and line in a file of which some part holds one of the words. */
export function hashesOfTexts(file: string, words: readonly string[]): ReadonlySet<string> {
  const hashes = new Set<string>();
  const sha = (text: string): unknown => hashes.add(createHash('sha256').update(text).digest('hex'));
  const holds = (text: string): boolean => words.some((word) => text.includes(word));
  const visit = (value: Value): boolean => {
    let held = false;
    if (typeof value === 'string') {
      held = holds(value);
      if (held) sha(value);
    } else if (Array.isArray(value)) for (const item of value as readonly Value[]) held = visit(item) || held;
    else if (value !== null && typeof value === 'object')
      for (const [name, member] of Object.entries(value as Body)) {
        held = holds(name) || held;
        held = visit(member as Value) || held;
      }
    if (held) sha(canonical(value));
    return held;
  };
  for (const line of file.trim().split('\n')) {
    visit(JSON.parse(line) as Value);
    const { id: _, type, parent, parents, ts, ...body } = JSON.parse(line) as Record<string, Value>;
    sha(canonical(body));
    sha(
      canonical({
        type: type as Value,
        parent: parent ?? null,
        ts: ts ?? null,
        ...(parents === undefined ? {} : { parents }),
      }),
    );
  }
  return hashes;
}

/** The errors that verifying the bytes gives. */
export function faults(bytes: Uint8Array): readonly string[] {
  const checker = new SessionChecker();
  const { session, findings } = readSession(memorySource(bytes), { visit: checker.visit });
  if (session === undefined) return findings.map(({ code, message }) => `${code}: ${message}`);
  const checks = checker.finish(session);
  return [...findings, ...checks.requestFindings, ...checks.recordFindings, ...checks.notes]
    .filter(({ severity, code }) => severity === 'error' && code !== 'session/nothing-checked')
    .map(({ code, message, where }) => `${code} (line ${where.line}): ${message}`);
}

export class Program {
  session: LiveSession;
  /** Sessions that a fork or continuation left behind. */
  readonly left: LiveSession[] = [];
  accepted = 0;
  readonly refused = new Map<string, number>();
  readonly #text: (n: number) => string;
  #clock = Date.UTC(2026, 10, 1, 9);
  #count = 0;

  constructor(promises: readonly string[], { text }: ProgramOptions = PLAIN) {
    this.#text = text;
    this.session = createSession(
      {
        id: `01995b2a-0000-7000-8000-${String(promises.length).padStart(12, '0')}`,
        records: promises,
        cwd: `/home/${text(0)}`,
      },
      this.options,
    );
  }

  get options(): { readonly now: () => string } {
    return {
      now: () => {
        this.#clock += 1000;
        return new Date(this.#clock).toISOString();
      },
    };
  }

  run(steps: readonly Step[]): this {
    for (const step of steps) this.step(step);
    return this;
  }

  step([op, a, b]: Step): void {
    try {
      this.#call(op, a, b);
    } catch (error) {
      if (!(error instanceof SessionError) && !(error instanceof RangeError)) throw error;
      const code = error instanceof SessionError ? error.code : 'range';
      this.refused.set(code, (this.refused.get(code) ?? 0) + 1);
    }
  }

  #append(from: EntryDraft): void {
    const mark = this.session.leafMarkBefore(this.session.prepare(from));
    if (mark !== undefined) this.session.append(mark);
    this.session.append(from);
    this.accepted++;
    const needed = this.session.leafMarkNeeded();
    if (needed !== undefined) this.session.append(needed);
  }

  #entry(n: number): string {
    const { size } = this.session;
    return size === 0 ? 'sha256:none' : this.session.id(n % size);
  }

  /** The function calls of the session, newest first. */
  #calls(): readonly { readonly index: EntryIndex; readonly callId: string }[] {
    const found: { index: EntryIndex; callId: string }[] = [];
    for (let index = this.session.size - 1; index >= 0; index--) {
      if (this.session.kind(index) !== 'item') continue;
      const entry = this.session.entry(index);
      if (entry.kind === 'item' && entry.item.type === 'function_call')
        found.push({ index, callId: entry.item.callId ?? '' });
    }
    return found;
  }

  #call(op: number, a: number, b: number): void {
    const { session } = this;
    const text = this.#text(a);
    const message = (said: string): JsonValue => ({
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: said },
        ...(b % 5 === 0 ? [{ type: 'input_image', image_url: `data:image/png;base64,${b}`, detail: 'auto' }] : []),
      ],
    });
    const call = (n: number) => {
      const all = this.#calls();
      return all[n % Math.max(all.length, 1)] ?? { index: 0, callId: 'call_none' };
    };
    switch (op % 21) {
      case 0:
        this.#append({
          type: 'config',
          body: configFromRequest(
            objectOfValue({ model: `m${a % 3}`, instructions: text, temperature: b / 7, tools: tools(b), user: text }),
          ),
        });
        return;
      case 1: {
        const { settings } = contextAtLeaf(session);
        const parts = Array.from({ length: b % 4 }, (_, i) => ({
          id: `p${(a + i) % 5}`,
          text: this.#text(b + i),
          source: i % 2 === 0 ? '' : 'file',
        }));
        const body = configDelta(settings, {
          ...(a % 2 === 0 ? { parts } : { instructions: text }),
          ...(b % 3 === 0 ? ({ model: `m${b % 2}`, tools: tools(a) } as const) : {}),
          omitted: Array.from({ length: (a + b) % 5 }, (_, i) => ({ id: `o${(b + i) % 7}`, reason: text, size: i })),
          extra: { temperature: a % 2, metadata: { user: text } },
        } as WantedSettings);
        if (body !== undefined) this.#append({ type: 'config', body });
        return;
      }
      case 2:
        this.#append(draft('item', { item: message(text), 'x:note': text }));
        return;
      case 3:
      case 4:
        this.#response(a, b);
        return;
      case 5: {
        const { index, callId } = call(a);
        this.#append(
          draft('dispatch', {
            call_id: callId,
            target: this.#target(index),
            idempotency_key: b % 2 === 0 ? text : undefined,
          }),
        );
        return;
      }
      case 6: {
        const { index, callId } = call(a);
        const verdict = ['proceed', 'hold', 'reject', 'answer'][b % 4] as string;
        this.#append(
          draft('decision', {
            call_id: callId,
            target: this.#target(index),
            verdict,
            by: 'human',
            reason: verdict === 'reject' ? `no: ${text}` : undefined,
            withdrawn: verdict === 'reject' && b % 8 < 4 ? true : undefined,
            args: verdict === 'proceed' ? { city: text } : undefined,
          }),
        );
        return;
      }
      case 7: {
        const { callId } = call(a);
        this.#append(
          draft('item', {
            item: {
              type: 'function_call_output',
              call_id: callId,
              output: b % 2 === 0 ? text : [{ type: 'input_text', text }],
            },
            failed: b % 3 === 0 ? true : undefined,
          }),
        );
        return;
      }
      case 8:
        this.#append(
          startRun({
            runId: `run-${this.#count++}`,
            source: b % 3 === 0 ? 'resume' : 'input',
            trigger: { kind: text, n: b },
          }),
        );
        return;
      case 9:
        this.#append(endRun(session, b % 6 === 0 ? 'interrupted' : undefined, text));
        return;
      case 10:
        session.branch(this.#entry(a));
        if (b % 2 === 0) session.append(session.markLeaf());
        return;
      case 11:
        this.#append(
          draft('label', {
            label: b % 3 === 0 ? 'leaf' : b % 3 === 1 ? null : text,
            target: b % 5 === 0 ? null : this.#entry(a),
          }),
        );
        return;
      case 12:
        this.#append(
          b % 2 === 0
            ? compactKeeping(session, 1 + (a % 4), message(text))
            : compact(session, this.#entry(a), message(text), [message('pinned')]),
        );
        return;
      case 13:
        this.#append(summarizeBranch(session, this.#entry(a), message(text)));
        return;
      case 14:
        if (b % 2 === 0)
          this.#append(
            draft('queued', { item: message(text), mode: 'steer', trigger: { kind: 'chat', source: text } }),
          );
        else
          this.#append(
            draft('item', {
              item: message(text),
              queued_from: this.#entry(a),
              source: { kind: text },
              from_link: b % 3 === 0 ? this.#entry(b) : undefined,
            }),
          );
        return;
      case 15:
        this.#other(a, b, text);
        return;
      case 16: {
        const { index, callId } = call(a);
        this.#append(
          [
            draft('link', { rel: 'subsession', session: `s-${a}`, call_id: callId }),
            draft('link', { rel: 'peer', session: '', call_id: callId, url: `https://peer/${text}`, task: text }),
            draft('link', { rel: 'judged_by', session: `j-${a}`, target: this.#entry(b) }),
            draft('link', {
              rel: b % 2 === 0 ? 'peer' : 'subsession',
              session: '',
              call_id: callId,
              cancel: 'sent',
              target: this.#entry(index + b),
            }),
          ][b % 4] as EntryDraft,
        );
        return;
      }
      case 17: {
        const { settings } = contextAtLeaf(session);
        for (const omit of omitDelta(settings.omit, {
          ...(a % 2 === 0 ? { reasoning: 'other_models' as const } : {}),
          items: Array.from({ length: a % 3 }, (_, i) => this.#entry(a + i)),
          ...(b % 2 === 0 ? { outputs: { text, items: [this.#entry(b)] } } : {}),
          ...(b % 3 === 0
            ? {
                images:
                  b % 2 === 0 ? { keep: b % 4, placeholder: text } : { before: this.#entry(a), placeholder: text },
              }
            : {}),
        }))
          this.#append({ type: 'config', body: wrapped('omit', omit) });
        return;
      }
      case 18:
        if (b % 4 === 0) session.resetLeaf();
        else if (b % 4 === 1 && a % 3 === 0)
          this.#change(fork(session, this.#entry(a), { id: `fork-${this.#count++}` }, this.options));
        else if (b % 4 === 2 && a % 3 === 0) {
          const { successor, link } = continueSession(
            session,
            { id: `next-${this.#count++}` },
            message(text),
            this.options,
          );
          session.append(link);
          this.#change(successor);
        } else this.session = LiveSession.open(memorySource(linesOf(session)), this.options);
        return;
      case 19:
        this.#change(this.#redacted(b));
        return;
      default:
        this.#append(
          draft('item', { item: { type: 'function_call', call_id: `direct_${a % 5}`, name: 'look', arguments: '{}' } }),
        );
    }
  }

  #target(index: EntryIndex): string {
    return this.session.size === 0 ? 'sha256:none' : this.session.id(index);
  }

  /** Goes on in a redacted copy, some entries of it left out. */
  #redacted(n: number): LiveSession {
    const { session } = redactSession(this.session, {
      profile: `p@${this.#count++}`,
      rewrite: (text) => text.replaceAll('text', n % 2 === 0 ? 'word' : ''),
      createdAt: '2026-11-30T00:00:00Z',
      ...(n % 3 === 0
        ? { leaveOut: ({ kind }) => kind === 'custom' || kind === 'outcome' || kind === 'extension' }
        : {}),
    });
    return LiveSession.open(memorySource(linesOf(session)), this.options);
  }

  #change(next: LiveSession): void {
    this.left.push(this.session);
    this.session = next;
  }

  #response(a: number, b: number): void {
    const id = b % 7 === 0 ? '' : `resp_${this.#count++}`;
    const output: JsonValue[] = [];
    if (a % 2 === 0) output.push({ type: 'reasoning', id: `rs_${a}`, summary: [], encrypted_content: this.#text(a) });
    const calls = b % 3;
    for (let i = 0; i < calls; i++)
      output.push({
        type: 'function_call',
        id: `fc_${i}`,
        call_id: `call_${this.#count++}`,
        name: 'look',
        arguments: JSON.stringify({ of: this.#text(b) }),
        status: 'completed',
      });
    if (calls === 0)
      output.push({
        type: 'message',
        role: 'assistant',
        id: `msg_${a}`,
        status: 'completed',
        content: [{ type: 'output_text', text: this.#text(a), annotations: [] }],
      });
    const entries = recordResponse(
      this.session,
      objectOfValue({
        id,
        model: 'm-exact',
        status: 'completed',
        output,
        error: b % 11 === 0 ? { code: 'x', message: this.#text(a) } : null,
      }),
      { unhashed: b % 5 === 0, latencyMs: a, attempts: 1 + (b % 2) },
    );
    for (const each of entries) this.#append(each);
  }

  #other(a: number, b: number, text: string): void {
    this.#append(
      [
        draft('info', { name: text }),
        draft('env', {
          cwd: text,
          files: { read: { [text]: `sha256:${'0'.repeat(64)}` } },
          tools: { [text]: '1' },
          workspace: { kind: 'local', host: text },
        }),
        draft('outcome', { kind: 'feedback', target: this.#entry(a), score: 0.5, details: { [text]: text } }),
        draft('custom', { ns: 'x:tool', data: { [text]: [text], n: 12345678901234567890n, cut: `a\ud83d${text}` } }),
        draft('x:ext', { [`k ${text}`]: { deep: text } }),
        draft('info', { name: 'merged' }, { parents: [{ entry: this.#entry(a) }, { session: 'other', entry: text }] }),
      ][b % 6] as EntryDraft,
    );
  }
}

function wrapped(name: string, value: JsonObject): JsonObject {
  return { kind: 'object', members: [{ name, nameIllFormed: false, nameStart: 0, value }], start: 0, end: 0 };
}

function tools(n: number): JsonValue {
  return Array.from({ length: n % 3 }, (_, i) => ({
    type: 'function',
    name: `tool_${(n + i) % 4}`,
    description: `d${n % 2}`,
    parameters: {},
  }));
}
