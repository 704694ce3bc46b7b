/**
 * JSON whose strings need not be UTF-8 (session-format 3.3): such a string is read with one U+FFFD per maximal subpart of an ill-formed
 * sequence, and its source bytes are kept for the record of the repair.
 */
import { decodeUtf8, utf8 } from '../../bytes/encoding.ts';
import { type JsonNode, parseTree } from '../../json/tree.ts';
import type { DraftSource } from './draft.ts';
import { SessionError } from './error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Parses one JSON text, whose bytes the caller may use again: the tree reads from a copy. Throws SessionError `bad_entry`. */
export function parseLenient(bytes: Uint8Array): { readonly root: JsonNode; readonly source: DraftSource } {
  const source =
    decodeUtf8(bytes) === undefined
      ? repair(bytes)
      : { bytes: new Uint8Array(bytes), raw: new Map<number, Uint8Array>() };
  const parsed = parseTree(source.bytes);
  if (!parsed.ok)
    throw new SessionError(
      parsed.problem.kind === 'too-deep' ? 'not_i_json' : 'bad_entry',
      `not JSON: ${parsed.problem.message} (byte ${parsed.problem.at})`,
    );
  return { root: parsed.root, source };
}

/** Replaces each string that is not UTF-8 by what a lenient decoder makes of it. No byte of JSON's own is above 0x7f. */
function repair(bytes: Uint8Array): DraftSource {
  const pieces: Uint8Array[] = [];
  const raw = new Map<number, Uint8Array>();
  let length = 0;
  let copied = 0;
  const put = (piece: Uint8Array): void => {
    pieces.push(piece);
    length += piece.length;
  };
  for (let at = bytes.indexOf(QUOTE); at >= 0; ) {
    let end = at + 1;
    while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
    end = Math.min(end + 1, bytes.length);
    const text = bytes.subarray(at, end);
    if (decodeUtf8(text) === undefined) {
      put(bytes.subarray(copied, at));
      raw.set(length, new Uint8Array(text));
      put(utf8(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text)));
      copied = end;
    }
    at = bytes.indexOf(QUOTE, end);
  }
  put(bytes.subarray(copied));
  const repaired = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    repaired.set(piece, at);
    at += piece.length;
  }
  return { bytes: repaired, raw };
}
