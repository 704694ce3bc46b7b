/**
 * Writing a journal (journal 2.11, 2.12, 4.2 to 4.4, 4.8): every record gets its name, a fresh salt and one encoding, goes into the store
 * once, and the writer goes by what the store then holds. Randomness and the clock come from outside, so that a journal can be made again.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Instant } from '../time/instant.ts';
import { readStored } from './decode.ts';
import { encodeRecord } from './encode.ts';
import { readEntries } from './export.ts';
import {
  attempts,
  HEADER_FORMAT,
  HEADER_NAME,
  names,
  RUN_ABORTED,
  RUN_CANCEL_REQUESTED,
  RUN_CANCELLED,
  RUN_COMPLETE,
  RUN_PRINCIPAL,
  RUN_START,
} from './names.ts';
import type { JournalStore, StoreEntry } from './port.ts';
import { EMPTY_RECORD, type Journal, type JournalRecord, type RawJson, type ReadableRecord } from './record.ts';
import { replay } from './replay.ts';
import { formatTimestamp } from './timestamp.ts';
import { endValue, principalRecordValue, type StartInput, startValue } from './write-values.ts';

/** Why a write or a drive was refused; nothing was written. */
export class JournalRefusal extends Error {
  readonly category: 'config' | 'storage' | 'protocol';
  constructor(category: 'config' | 'storage' | 'protocol', message: string) {
    super(message);
    this.category = category;
  }
}

export interface WriterMeans {
  readonly store: JournalStore;
  /** Fresh random bytes. */
  random(length: number): Uint8Array;
  now(): Instant;
}

/** A record to be written: name, kind and the members that it carries. */
export type NewRecord = Pick<JournalRecord, 'name' | 'kind'> & Partial<JournalRecord>;

export interface Written {
  /** What the journal holds under the name. */
  readonly record: JournalRecord;
  readonly seq: bigint;
  /** Whether it is the one that was given. */
  readonly won: boolean;
}

export type Claim =
  | { readonly won: true; readonly marker: string; readonly claim: string }
  | { readonly won: false; readonly marker: string };

const SALT_LENGTH = 32;
const CLAIM_LENGTH = 16;

export class JournalWriter {
  readonly run: string;
  readonly #means: WriterMeans;
  #headed = false;
  /** Claims that are known not to have called their effect and whose record could not be written yet (journal 4.3). */
  readonly #unspent = new Map<string, { readonly marker: string; readonly toolUseId: string }>();

  constructor(run: string, means: WriterMeans) {
    if (run === '') throw new JournalRefusal('config', 'the run id is empty');
    this.run = run;
    this.#means = means;
  }

  /** The time of the writer, as records have it. */
  now(): string {
    const timestamp = formatTimestamp(this.#means.now());
    if (timestamp === undefined) throw new RangeError('a record has a year from 1 to 9999');
    return timestamp;
  }

  newClaim(): string {
    return hex(this.#means.random(CLAIM_LENGTH));
  }

  /** The journal as it is. Refused when it cannot be read or is of another format; an empty run has no journal. */
  async load(): Promise<Journal | undefined> {
    const entries: StoreEntry[] = [];
    for await (const entry of this.#means.store.load(this.run, -1n)) entries.push(entry);
    if (entries.length === 0) return undefined;
    const { journal, findings } = readEntries(this.run, entries);
    if (journal === undefined)
      throw new JournalRefusal('storage', findings[0]?.message ?? 'the journal cannot be read');
    if (journal.format !== HEADER_FORMAT)
      throw new JournalRefusal(
        'protocol',
        `run ${this.run}: journal format ${JSON.stringify(journal.format)} is not ${HEADER_FORMAT}`,
      );
    return journal;
  }

  /** The record under a name. */
  async get(name: string): Promise<JournalRecord | undefined> {
    const entry = await this.#means.store.get(this.run, name);
    return entry === undefined ? undefined : this.#read(entry);
  }

  /** Records once: salts, encodes, inserts, and gives what the journal holds. */
  async record(given: NewRecord): Promise<Written> {
    if (given.name === '') throw new JournalRefusal('config', 'a record has a name');
    await this.#header();
    return this.#insert(given);
  }

  /** Runs `make` only if nothing is recorded under the name; the first writer's record is everybody's (journal 4.2). */
  async do(name: string, make: () => Promise<NewRecord>): Promise<JournalRecord> {
    const held = await this.get(name);
    if (held !== undefined) return held;
    await this.#header();
    const made = await make();
    return (await this.#insert({ ...made, name })).record;
  }

  /** Principal, where there is one, then start (journal 4.6, 4.7). */
  async start(input: StartInput): Promise<Written> {
    if (input.principal !== undefined || (input.ancestors?.length ?? 0) > 0) {
      const value = principalRecordValue(input.principal, input.ancestors);
      const { record } = await this.record({ name: RUN_PRINCIPAL, kind: 'value', result: value });
      if (record.result === undefined || !equalBytes(record.result, value))
        throw new JournalRefusal('config', 'another writer recorded another principal');
    }
    return this.record({ name: RUN_START, kind: 'value', result: startValue(input) });
  }

  /** The next attempt of a side effect: won only under a claim of one's own (journal 4.3). */
  async claimNext(base: string, toolUseId: string): Promise<Claim> {
    await this.#writeUnspent();
    for (let number = 0; ; number++) {
      const marker = attempts.key(base, number);
      const claim = this.newClaim();
      let got: JournalRecord;
      try {
        const attemptedAt = this.#means.now() / 1_000_000n;
        got = (await this.record({ name: marker, kind: 'attempt', toolUseId, attemptedAt, claim })).record;
      } catch (error) {
        // Whether the marker stands is not known; that its effect was not called is.
        this.#unspent.set(claim, { marker, toolUseId });
        throw error;
      }
      if (got.claim === claim) return { won: true, marker, claim };
      if (got.claim === '' || (await this.#voids(marker, got.claim)) === false) return { won: false, marker };
    }
  }

  async #voids(marker: string, claim: string): Promise<boolean> {
    const held = await this.get(attempts.notStarted(marker, claim));
    return held?.kind === 'not_started' && held.claim === claim;
  }

  /** An attempt under one's own claim that never called its effect. */
  async notStarted(marker: string, claim: string, toolUseId: string): Promise<void> {
    this.#unspent.set(claim, { marker, toolUseId });
    await this.#writeUnspent();
  }

  async #writeUnspent(): Promise<void> {
    for (const [claim, { marker, toolUseId }] of this.#unspent) {
      await this.record({ name: attempts.notStarted(marker, claim), kind: 'not_started', toolUseId, claim });
      this.#unspent.delete(claim);
    }
  }

  /** A step of a side effect, or of none: recorded once, never run while an attempt may have fired (journal 5.2). */
  async step(
    name: string,
    retrySafe: boolean,
    run: () => Promise<RawJson>,
  ): Promise<
    { readonly done: true; readonly result: RawJson | undefined } | { readonly done: false; readonly halted: string }
  > {
    const held = await this.get(name);
    if (held !== undefined) return { done: true, result: held.result };
    const base = names.stepAttempt(name);
    const journal = await this.load();
    const live =
      journal === undefined
        ? undefined
        : replay(journal)
            .effects.get(base)
            ?.attempts.find(({ voidedAt }) => voidedAt === undefined);
    if (live !== undefined) return { done: false, halted: live.stored.name };
    if (!retrySafe) {
      const claim = await this.claimNext(base, name);
      if (!claim.won) {
        const recorded = await this.get(name);
        return recorded === undefined ? { done: false, halted: claim.marker } : { done: true, result: recorded.result };
      }
    }
    const result = await run();
    return { done: true, result: (await this.record({ name, kind: 'value', result })).record.result };
  }

  signal(name: string, payload: RawJson): Promise<Written> {
    return this.record({ name: names.signal(name), kind: 'signal', result: payload, recordedAt: this.now() });
  }

  send(channel: string, key: string, payload: RawJson): Promise<Written> {
    return this.record({ name: names.channel(channel, key), kind: 'signal', result: payload });
  }

  acknowledge(channel: string, key: string): Promise<Written> {
    return this.record({ name: names.channelAck(channel, key), kind: 'value' });
  }

  /** The one decision of a one-decision gate; the first wins (journal 5.4). */
  approve(toolUseId: string, approved: boolean): Promise<Written> {
    return this.record({
      name: names.decision(toolUseId),
      kind: 'approval',
      toolUseId,
      approved,
      recordedAt: this.now(),
    });
  }

  complete(result?: RawJson): Promise<Written> {
    return this.#end({ name: RUN_COMPLETE, kind: 'value', result, recordedAt: this.now() });
  }

  abort(reason: string): Promise<Written> {
    const at = this.now();
    return this.#end({ name: RUN_ABORTED, kind: 'value', result: endValue(reason, at), recordedAt: at });
  }

  /** Writes the marker of a cancelled run: the end of a saga's rollback, or of any other run at once. */
  cancelled(reason: string): Promise<Written> {
    return this.#end({ name: RUN_CANCELLED, kind: 'value', result: endValue(reason), recordedAt: this.now() });
  }

  /** Cancels a run: a saga is asked to roll back, any other run ends (journal 4.8). */
  async cancel(reason: string): Promise<'cancelled' | 'requested' | 'ended' | 'not_started'> {
    const journal = await this.load();
    const run = journal === undefined ? undefined : replay(journal);
    const end = run?.ends[0];
    if (end !== undefined) return end.name === RUN_CANCELLED ? 'cancelled' : 'ended';
    if (run?.start === undefined) return 'not_started';
    if (run.start.value?.saga === true) {
      await this.record({
        name: RUN_CANCEL_REQUESTED,
        kind: 'value',
        result: endValue(reason),
        recordedAt: this.now(),
      });
      return 'requested';
    }
    await this.cancelled(reason);
    return (await this.end())?.name === RUN_CANCELLED ? 'cancelled' : 'ended';
  }

  /** The first end marker in journal order: the end for every reader (journal 4.1). */
  async end(): Promise<ReadableRecord | undefined> {
    const journal = await this.load();
    return journal === undefined ? undefined : replay(journal).ends[0];
  }

  async #end(given: NewRecord): Promise<Written> {
    const written = await this.record(given);
    const first = await this.end();
    return { ...written, won: written.won && first?.name === given.name };
  }

  async #header(): Promise<void> {
    if (this.#headed) return;
    // One entry is enough; the rest of the journal is not read for a write.
    let first: StoreEntry | undefined;
    for await (const entry of this.#means.store.load(this.run, -1n)) {
      first = entry;
      break;
    }
    if (first === undefined) {
      await this.#insert({ name: HEADER_NAME, kind: 'header', format: HEADER_FORMAT });
      return this.#header();
    }
    if (first.name !== HEADER_NAME)
      throw new JournalRefusal('protocol', `run ${this.run} does not begin with a header`);
    const header = this.#read(first);
    if (header.kind !== 'header') throw new JournalRefusal('storage', `run ${this.run}: ${HEADER_NAME} is no header`);
    if (header.format !== HEADER_FORMAT)
      throw new JournalRefusal(
        'protocol',
        `run ${this.run}: journal format ${JSON.stringify(header.format)} is not ${HEADER_FORMAT}`,
      );
    this.#headed = true;
  }

  async #insert(given: NewRecord): Promise<Written> {
    const salt = this.#means.random(SALT_LENGTH);
    const data = encodeRecord({ ...EMPTY_RECORD, ...given, salt });
    const { entry } = await this.#means.store.insert(this.run, given.name, data);
    const record = this.#read(entry);
    // A writer knows its own record by the salt that it drew (journal 4.2).
    return { record, seq: entry.seq, won: record.salt !== undefined && equalBytes(record.salt, salt) };
  }

  #read(entry: StoreEntry): JournalRecord {
    const read = readStored(entry.data, 0);
    if (!read.ok) throw new JournalRefusal('storage', `run ${this.run}, ${entry.name}: ${read.problem.message}`);
    if (read.stored.record === undefined)
      throw new JournalRefusal('config', `run ${this.run}: ${entry.name} was redacted, the run is over`);
    if (read.stored.name !== entry.name)
      throw new JournalRefusal('storage', `run ${this.run}: ${entry.name} holds a record named ${read.stored.name}`);
    return read.stored.record;
  }
}
