/** Inputs of `bide-audit` (audit spec 6.3): artifacts, keys, approver keys and allowlists, each read whole and judged at once. */
import { decodeUtf8 } from '../../src/bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import { catalogue } from '../../src/evidence/catalogue.ts';
import { type Reading, readArtifact } from '../../src/evidence/place.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { Unreadable } from '../../src/host/files.ts';
import type { Shape } from '../../src/json/shape.ts';
import { headTimeFindings, type TreeHead } from '../../src/log/head.ts';
import { type KeyRing, ringOf } from '../../src/log/keyRing.ts';
import type { Instant } from '../../src/time/instant.ts';
import { catalogue as inputCatalogue } from '../../src/verify/catalogue.ts';
import type { Flags } from './flags.ts';
import type { BideIo } from './io.ts';
import type { Session } from './session.ts';
import { DEFAULT_MAX_INPUT_BYTES, DEFAULT_SKEW } from './verb.ts';

/** A head inside an artifact, with the pointer to it. */
export interface PlacedHead {
  readonly head: TreeHead;
  readonly pointer: string;
}

export class Inputs {
  readonly #flags: Flags;
  readonly #session: Session;
  readonly #io: BideIo;
  #now: Instant | undefined;

  constructor(flags: Flags, session: Session, io: BideIo) {
    this.#flags = flags;
    this.#session = session;
    this.#io = io;
  }

  /** The clock, read once. */
  get now(): Instant {
    this.#now ??= this.#io.now();
    return this.#now;
  }

  get skew(): Instant {
    return this.#flags.duration('max-clock-skew', DEFAULT_SKEW);
  }

  /** The bytes of a file, or undefined with the reason reported. */
  bytes(path: string): Uint8Array | undefined {
    try {
      return this.#io.read(path, this.#flags.integer('max-input-bytes', DEFAULT_MAX_INPUT_BYTES));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#session.take([
        inputCatalogue.find(error.tooLarge ? 'input/too-large' : 'input/unreadable', error.message, {
          where: { part: path },
        }),
      ]);
      return undefined;
    }
  }

  /**
   * An artifact read strictly, the timestamp rule applied to every head in it (not inside `record_bytes`); undefined where it cannot be
   * used, which is reported.
   */
  artifact<T>(path: string, shape: Shape<T>, headsIn: (value: T) => readonly PlacedHead[]): T | undefined {
    const bytes = this.bytes(path);
    return bytes === undefined ? undefined : this.artifactOf(path, bytes, shape, headsIn);
  }

  artifactOf<T>(
    path: string,
    bytes: Uint8Array,
    shape: Shape<T>,
    headsIn: (value: T) => readonly PlacedHead[],
  ): T | undefined {
    const read: Reading<T> = readArtifact(shape, bytes, { part: path });
    if (!read.ok) {
      this.#session.take(read.findings);
      return undefined;
    }
    for (const { head, pointer } of headsIn(read.value))
      if (head.format !== '') this.#session.take(headTimeFindings(head, this.now, this.skew, { part: path, pointer }));
    return read.value;
  }

  /** Several files of one shape; undefined for each that cannot be used. */
  artifacts<T>(
    paths: readonly string[],
    shape: Shape<T>,
    headsIn: (value: T) => readonly PlacedHead[],
  ): readonly (T | undefined)[] {
    return paths.map((path) => this.artifact(path, shape, headsIn));
  }

  /** The log's key (`-pubkey`) as a ring of one; undefined where it is unusable, which is reported. */
  async ring(name = 'pubkey'): Promise<KeyRing | undefined> {
    const key = await this.key(this.#flags.text(name), `-${name}`);
    return key === undefined ? undefined : ringOf(key);
  }

  /**
   * A key given as its text or as a file that holds it. What has the form of a key is never looked for as a file, so that a file planted
   * under a hexadecimal name cannot replace a key.
   */
  async key(value: string, where: string): Promise<PublicKey | undefined> {
    const refuse = (reason: string): undefined => {
      this.#session.take([
        catalogue.find('evidence/key-unusable', `the key cannot be used: ${reason}`, { where: { part: where } }),
      ]);
      return undefined;
    };
    const trimmed = value.trim();
    if (/^(?:[a-z0-9+-]+:[0-9a-fA-F]*|[0-9a-fA-F]{64})$/.test(trimmed)) {
      const key = await parsePublicKey(trimmed);
      return isUnusable(key) ? refuse(key.unusable) : key;
    }
    if (!this.#io.exists(value)) return refuse('it is neither the text of a key nor the name of a file');
    const bytes = this.bytes(value);
    if (bytes === undefined) return undefined;
    const text = decodeUtf8(bytes);
    if (text === undefined) return refuse('the file is not text');
    const key = await parsePublicKey(text);
    return isUnusable(key) ? refuse(key.unusable) : key;
  }

  /** Findings of a check, with the input that they are about. */
  take(findings: readonly Finding[], input?: string): void {
    this.#session.take(findings, input);
  }
}
