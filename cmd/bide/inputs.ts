/** Inputs of `bide-audit` (audit spec 6.3): artifacts, keys, approver keys and allowlists, each read whole and judged at once. */
import { decodeUtf8 } from '../../src/bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import { catalogue } from '../../src/evidence/catalogue.ts';
import { type JournalTree, treeOfJournal } from '../../src/evidence/journalTree.ts';
import { type Reading, readArtifact } from '../../src/evidence/place.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { Unreadable } from '../../src/host/files.ts';
import { readExport } from '../../src/journal/export.ts';
import { map, raw, type Shape } from '../../src/json/shape.ts';
import { parseTree } from '../../src/json/tree.ts';
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
    if (bytes === undefined) return undefined;
    const read: Reading<T> = readArtifact(shape, bytes, { part: path });
    if (!read.ok) {
      this.#session.take(read.findings);
      return undefined;
    }
    for (const { head, pointer } of headsIn(read.value))
      if (head.format !== '') this.#session.take(headTimeFindings(head, this.now, this.skew, { part: path, pointer }));
    return read.value;
  }

  /** A journal export; undefined where it cannot be used, which is reported. */
  journal(path: string): JournalTree | undefined {
    const bytes = this.bytes(path);
    if (bytes === undefined) return undefined;
    const reading = readExport(bytes);
    this.#session.take(
      reading.findings.map((finding) =>
        finding.class === 'none' ? finding : { ...finding, class: 'unusable' as const },
      ),
      path,
    );
    return reading.journal === undefined ? undefined : treeOfJournal(reading.journal);
  }

  /**
   * The log's key (`-pubkey`) as a ring of one. An unusable key is reported and gives an empty ring: what does not depend on it is still
   * checked, and nothing is authentic.
   */
  async ring(): Promise<KeyRing> {
    const key = await this.key(this.#flags.text('pubkey'), '-pubkey');
    return key === undefined ? [] : ringOf(key);
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

  /**
   * Keys of principals (`-approver-keys`, `-issuer-keys`): a JSON object from name to key text, or to a list of them. One key for two names
   * is refused, wanted or not; undefined where the file cannot be used, which is reported.
   */
  async principalKeys(path: string): Promise<ReadonlyMap<string, readonly PublicKey[]> | undefined> {
    const bytes = this.bytes(path);
    if (bytes === undefined) return undefined;
    const read = readArtifact(map(raw), bytes, { part: path });
    if (!read.ok || read.value === null) {
      this.#session.take(read.ok ? [unusableKeys('it holds no object of names and keys', path)] : read.findings);
      return undefined;
    }
    const keys = new Map<string, PublicKey[]>();
    const owners = new Map<string, string>();
    let usable = true;
    const refuse = (reason: string, name: string) => {
      usable = false;
      this.#session.take([unusableKeys(reason, path, name)]);
    };
    for (const [name, value] of read.value) {
      const texts = keyTexts(value);
      if (texts === undefined) refuse('a key is the text of one, or a list of such texts that is not empty', name);
      for (const text of texts ?? []) {
        const key = await parsePublicKey(text);
        if (isUnusable(key)) {
          refuse(key.unusable, name);
          continue;
        }
        for (const identity of key.identities) {
          const owner = owners.get(identity);
          if (owner !== undefined && owner !== name) refuse(`it is the key of ${JSON.stringify(owner)} too`, name);
          owners.set(identity, name);
        }
        keys.set(name, [...(keys.get(name) ?? []), key]);
      }
    }
    return usable ? keys : undefined;
  }

  /**
   * The digests that the auditor approves (`-approved`, `-approved-file`): `none` where neither flag is given, `unknown` where the file
   * cannot be read, which is reported.
   */
  approved(): ReadonlySet<string> | 'unknown' | 'none' {
    const digests = new Set(this.#flags.list('approved'));
    const path = this.#flags.optional('approved-file');
    if (path === undefined) return this.#flags.has('approved') ? digests : 'none';
    const bytes = this.bytes(path);
    const text = bytes === undefined ? undefined : decodeUtf8(bytes);
    if (text === undefined) {
      if (bytes !== undefined)
        this.#session.take([
          catalogue.find('evidence/allowlist-unreadable', 'the list of approved policies is not text', {
            where: { part: path },
          }),
        ]);
      return 'unknown';
    }
    for (const line of text.split('\n')) {
      const digest = line.trim();
      if (digest !== '' && !digest.startsWith('#')) digests.add(digest);
    }
    return digests;
  }
}

function unusableKeys(reason: string, path: string, name?: string): Finding {
  return catalogue.find(
    'evidence/key-unusable',
    `${name === undefined ? 'the keys cannot' : `the key of ${JSON.stringify(name)} cannot`} be used: ${reason}`,
    {
      where: { part: path },
    },
  );
}

/** The text of a key, or the texts of a list that is not empty. */
function keyTexts(value: Uint8Array | null): readonly string[] | undefined {
  const parsed = value === null ? undefined : parseTree(value);
  if (parsed === undefined || !parsed.ok) return undefined;
  const nodes = parsed.root.kind === 'array' ? parsed.root.items : [parsed.root];
  const texts = nodes.flatMap((node) => (node.kind === 'string' && !node.illFormed ? [node.value] : []));
  return texts.length > 0 && texts.length === nodes.length ? texts : undefined;
}
