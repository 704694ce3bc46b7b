/** JSONTestSuite through both readers, and the RFC 8785 files. */
import { base64 } from '../../src/bytes/encoding.ts';
import type { Case, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

interface Answer {
  readonly scanner: boolean;
  readonly tree: boolean;
  readonly i_json: boolean;
}

/** Accepted, refused, or left open; then the two readers must still agree, but for bytes that are not UTF-8, which I-JSON refuses. */
function verdict(kind: string): Case['expect'] {
  return (answer: Json) => {
    const { scanner, tree, i_json } = answer as unknown as Answer;
    if (kind === 'y' && !(scanner && tree)) return `refused by ${scanner ? 'the tree parser' : 'the scanner'}`;
    if (kind === 'n' && (i_json || tree)) return `accepted by ${tree ? 'the tree parser' : 'the scanner'}`;
    if (kind === 'i' && tree && !scanner) return 'the tree parser accepts what the scanner refuses';
    if (kind === 'i' && i_json && !tree) return 'the scanner accepts what the tree parser refuses';
    return undefined;
  };
}

const parsing: Suite = {
  name: 'json/JSONTestSuite',
  folder: 'json/JSONTestSuite/test_parsing',
  *cases(folder) {
    for (const file of folder.files().filter((name) => name.endsWith('.json')))
      yield {
        name: file,
        op: 'json/read',
        params: { text_b64: base64(folder.bytes(file)) },
        expect: verdict(file.slice(0, 1)),
      };
  },
};

const canonical: Suite = {
  name: 'json/jcs',
  folder: 'json/jcs',
  *cases(folder) {
    for (const file of folder.files().filter((name) => name.startsWith('input/'))) {
      const output = folder.bytes(file.replace('input/', 'output/'));
      const params = { text_b64: base64(folder.bytes(file)) };
      yield { name: file, op: 'json/canonical', params, expect: equals(base64(output)) };
      const hexText = folder.text(file.replace('input/', 'outhex/').replace('.json', '.txt'));
      const bytes = Uint8Array.from(hexText.trim().split(/\s+/), (pair) => Number.parseInt(pair, 16));
      yield { name: `${file} (hex)`, op: 'json/canonical', params, expect: equals(base64(bytes)) };
      yield {
        name: `${file} (its output again)`,
        op: 'json/canonical',
        params: { text_b64: base64(output) },
        expect: equals(base64(output)),
      };
    }
  },
};

export const suites: readonly Suite[] = [parsing, canonical];
