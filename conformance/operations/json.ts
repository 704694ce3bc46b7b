/** Questions about JSON texts, answered by `src/json`. */
import { base64, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { canonicalizeText } from '../../src/json/canonical.ts';
import { canonicalNumber, passesNumberTest } from '../../src/json/number.ts';
import { Scanner } from '../../src/json/scan.ts';
import { parseTree } from '../../src/json/tree.ts';
import type { Json, Operation } from '../suite.ts';

type Params = { readonly [name: string]: Json };

/** Bytes of `text_b64`, or of `text`. */
function textOf(params: Params): Uint8Array {
  const { text_b64, text } = params;
  if (typeof text_b64 === 'string') return unbase64(text_b64) ?? new Uint8Array();
  return utf8(String(text));
}

export const operations: Record<string, Operation> = {
  /** Whether the scanner and the tree parser take a text as JSON, and whether it passes the I-JSON test. */
  'json/read': (params) => {
    const text = textOf(params);
    const scanner = new Scanner();
    const scanned = scanner.scan(text);
    return { scanner: scanned, tree: parseTree(text).ok, i_json: scanned && scanner.violationCount === 0 };
  },
  /** The RFC 8785 form, or null for a text that has none. */
  'json/canonical': (params) => {
    const written = canonicalizeText(textOf(params));
    return written === undefined ? null : base64(written);
  },
  /** ECMAScript spelling of the double with these bits. */
  'json/number': ({ bits }) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${String(bits)}`));
    return canonicalNumber(view.getFloat64(0));
  },
  /** The number test of session-format 3.2. */
  'json/number-test': ({ literal }) => passesNumberTest(String(literal)),
};
