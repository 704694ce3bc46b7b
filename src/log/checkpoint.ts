/**
 * Checkpoints (`interop.md` 1.2, steps numbered as there): the text of a signed note that says origin, size and root of a log. A head of
 * the bide family can be published as one, since both hash leaves as RFC 6962 does.
 */
import { base64, decodeUtf8, equalBytes, unbase64 } from '../bytes/encoding.ts';
import { EMPTY_ROOT } from '../merkle/hash.ts';
import { type Fault, type Result, refuse } from './fault.ts';
import type { TreeHead } from './head.ts';

export interface Checkpoint {
  /** Not a key name: compared as it is, never normalised or fetched. */
  readonly origin: string;
  readonly size: bigint;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** Opaque, shown as untrusted; no meaning is taken from them. */
  readonly extensions: readonly string[];
}

/** Reads the text of a note as a checkpoint. */
export function parseCheckpoint(text: Uint8Array): Result<Checkpoint> {
  // 1.
  const decoded = decodeUtf8(text);
  if (decoded === undefined) return refuse('utf8', 'the text of the checkpoint is not UTF-8');
  const lines = decoded.split('\n');
  if (lines.pop() !== '' || lines.length < 3)
    return refuse('checkpoint-lines', 'a checkpoint has at least three lines, each ending in a line feed');
  const empty = lines.indexOf('');
  if (empty >= 0) return refuse('checkpoint-empty-line', 'a line of the checkpoint is empty', { line: empty + 1 });
  const [origin, sizeText, rootText, ...extensions] = lines as [string, string, string, ...string[]];
  // 2.
  const size = /^(?:0|[1-9][0-9]{0,18})$/.test(sizeText) ? BigInt(sizeText) : undefined;
  if (size === undefined || size >= 1n << 63n)
    return refuse('checkpoint-size', 'the size is not a decimal number below 2^63', {
      line: 2,
      actual: sizeText.slice(0, 80),
    });
  // 3.
  const root = unbase64(rootText);
  if (root === undefined)
    return refuse('base64', 'the root is not standard padded base64', { line: 3, actual: rootText.slice(0, 80) });
  if (root.length !== 32)
    return refuse('checkpoint-root', 'the root is not 32 bytes', {
      line: 3,
      expected: '32 bytes',
      actual: `${root.length} bytes`,
    });
  return { ok: true, value: { origin, size, root, extensions } };
}

/** Step 4: a root that no tree of this size can have. */
export function checkpointFault({ size, root }: Checkpoint): Fault | undefined {
  if (size !== 0n || equalBytes(root, EMPTY_ROOT)) return undefined;
  return refuse('checkpoint-empty-root', 'the tree is empty and its root is not that of the empty tree', {
    line: 3,
    expected: base64(EMPTY_ROOT),
    actual: base64(root),
  }).fault;
}

/** The text of a checkpoint. Extension lines are never written. Throws RangeError for what no checkpoint can say. */
export function checkpointText(origin: string, size: bigint | number, root: Uint8Array): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an origin is one line without control characters
  if (origin === '' || /[\u0000-\u001f]/.test(origin) || /\p{Surrogate}/u.test(origin))
    throw new RangeError(`${JSON.stringify(origin)} is no origin of a log`);
  if (size < 0 || BigInt(size) >= 1n << 63n || root.length !== 32)
    throw new RangeError('no tree has this size and root');
  return `${origin}\n${size}\n${base64(root)}\n`;
}

/**
 * The origin under which one tree of a log is published: `<log>/<kind>/<run id>`, each part percent-encoded, so that every tree has one and
 * two trees never share one.
 */
export function originOfTree(log: string, kind: string, run: string): string {
  return [log, ...[kind, run].map((part) => encodeURIComponent(part))].join('/');
}

/** A head as the text of a checkpoint (its signature does not carry over: the checkpoint is signed as a note). */
export function headAsCheckpoint(head: TreeHead, log: string): string {
  if (head.root === null) throw new RangeError('the head has no root');
  return checkpointText(originOfTree(log, head.kind, head.run_id), head.size, head.root);
}
