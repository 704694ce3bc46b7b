/**
 * Proof files, `c2sp.org/tlog-proof@v1` (`interop.md` 1.6, steps numbered as there): an index, the path of an entry, and the checkpoint
 * that it leads to. The entry itself, and the rule by which it is hashed, come from the caller.
 */
import { base64, concat, decodeUtf8, unbase64, utf8 } from '../bytes/encoding.ts';
import { inclusionFault } from '../merkle/proof.ts';
import { type EvaluateOptions, type Evaluation, evaluateCheckpoint } from './evaluate.ts';
import { type Fault, type Result, refuse } from './fault.ts';
import type { Policy } from './policy.ts';

const HEADER = 'c2sp.org/tlog-proof@v1';
const MAX_HASHES = 63;

export interface TlogProof {
  readonly index: bigint;
  /** Sibling of the leaf first. */
  readonly path: readonly Uint8Array[];
  /** Authenticated by nothing: shown, never used. */
  readonly extra?: Uint8Array;
  /** The note, verbatim. */
  readonly note: Uint8Array;
}

/** Takes the lines of a file one after the other; each ends in a line feed. */
class Lines {
  readonly #bytes: Uint8Array;
  at = 0;
  line = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }
  /** The next line without its line feed; undefined at the end or in a line that is cut off. */
  next(): Uint8Array | undefined {
    const end = this.#bytes.indexOf(0x0a, this.at);
    if (end < 0) return undefined;
    const line = this.#bytes.subarray(this.at, end);
    this.at = end + 1;
    this.line++;
    return line;
  }
}

/** Reads a proof file, or gives the first rule that it breaks. The note in it is not read yet. */
export function parseTlogProof(bytes: Uint8Array): Result<TlogProof> {
  const lines = new Lines(bytes);
  const text = (line: Uint8Array | undefined) => (line === undefined ? undefined : decodeUtf8(line));
  // 1.
  const header = text(lines.next());
  if (header !== HEADER)
    return refuse('proof-header', 'the first line is not the header of a proof file', {
      line: 1,
      expected: HEADER,
      actual: (header ?? '').slice(0, 80),
    });
  let line = text(lines.next());
  let extra: Uint8Array | undefined;
  if (line?.startsWith('extra ')) {
    extra = unbase64(line.slice('extra '.length));
    if (extra === undefined || extra.length === 0)
      return refuse('proof-extra', 'the extra data is not base64 of at least one byte', {
        line: lines.line,
        actual: line.slice(0, 80),
      });
    line = text(lines.next());
  }
  const index = /^index (0|[1-9][0-9]{0,18})$/.exec(line ?? '')?.[1];
  if (index === undefined || BigInt(index) >= 1n << 63n)
    return refuse('proof-index', 'the index line is not "index " and a decimal number below 2^63', {
      line: lines.line,
      actual: (line ?? '').slice(0, 80),
    });
  // 2.
  const path: Uint8Array[] = [];
  for (;;) {
    const hashLine = lines.next();
    // A file that ends with a line has an empty rest, which is a note without anything in it.
    if (hashLine === undefined && lines.at === bytes.length) break;
    if (hashLine === undefined)
      return refuse('proof-no-checkpoint', 'the file is cut off in a line before the checkpoint', {
        line: lines.line,
      });
    if (hashLine.length === 0) break;
    const hash = unbase64(decodeUtf8(hashLine) ?? '*');
    if (hash === undefined) return refuse('base64', 'a hash line is not standard padded base64', { line: lines.line });
    if (hash.length !== 32)
      return refuse('proof-hash', 'a hash is not 32 bytes', {
        line: lines.line,
        expected: '32 bytes',
        actual: `${hash.length} bytes`,
      });
    path.push(hash);
    if (path.length > MAX_HASHES)
      return refuse('proof-length', 'the proof has more hashes than any tree is high', {
        line: lines.line,
        expected: `at most ${MAX_HASHES}`,
      });
  }
  // 3.
  return {
    ok: true,
    value: { index: BigInt(index), path, note: bytes.slice(lines.at), ...(extra === undefined ? {} : { extra }) },
  };
}

export interface TlogProofEvaluation extends Evaluation {
  /** Absent where the bytes are no proof file. */
  readonly proof?: TlogProof;
  /** Whether the entry was shown to be in the tree of the checkpoint; undefined where no entry was given or no tree could be read. */
  readonly included?: boolean;
}

/**
 * Evaluates a proof file.
 *
 * @param leaf the 32-byte leaf hash of the entry; undefined where the caller has none, and then inclusion stays open
 */
export function evaluateTlogProof(
  bytes: Uint8Array,
  leaf: Uint8Array | undefined,
  policy: Policy,
  options: EvaluateOptions = {},
): TlogProofEvaluation {
  const parsed = parseTlogProof(bytes);
  if (!parsed.ok) return { logs: [], cosigners: [], late: [], absent: [], unknown: 0, faults: [parsed.fault] };
  const proof = parsed.value;
  const evaluation = evaluateCheckpoint(proof.note, policy, options);
  const { checkpoint } = evaluation;
  if (checkpoint === undefined || leaf === undefined) return { ...evaluation, proof };
  const fault = pathFault(proof, leaf, checkpoint.size, checkpoint.root);
  return {
    ...evaluation,
    proof,
    included: fault === undefined,
    faults: fault === undefined ? evaluation.faults : [...evaluation.faults, fault],
  };
}

/** Step 5. */
function pathFault({ index, path }: TlogProof, leaf: Uint8Array, size: bigint, root: Uint8Array): Fault | undefined {
  switch (inclusionFault(root, leaf, index, size, path)) {
    case undefined:
      return undefined;
    case 'range':
      return refuse('index', 'the index is not below the size of the tree', {
        expected: `below ${size}`,
        actual: String(index),
      }).fault;
    case 'path-length':
      return refuse('proof-length', 'the proof has too many or too few hashes for this index and size', {
        actual: `${path.length} hashes`,
      }).fault;
    default:
      return refuse('root', 'the hashes lead from this entry to another root', { expected: base64(root) }).fault;
  }
}

/** Writes a proof file. Throws RangeError for a path or index that none can hold. */
export function writeTlogProof({ index, path, extra, note }: TlogProof): Uint8Array {
  if (
    index < 0n ||
    index >= 1n << 63n ||
    path.length > MAX_HASHES ||
    path.some((hash) => hash.length !== 32) ||
    extra?.length === 0
  )
    throw new RangeError('no proof file can hold this index, path or extra data');
  const lines = [
    HEADER,
    ...(extra === undefined ? [] : [`extra ${base64(extra)}`]),
    `index ${index}`,
    ...path.map(base64),
    '',
  ];
  return concat(utf8(`${lines.join('\n')}\n`), note);
}
