/** One reading for everybody: names that are repeated, unknown or spelled otherwise, at every depth of every artifact (audit spec 0.5). */
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { quorumFileShape } from '../../src/evidence/quorumFile.ts';
import {
  absenceShape,
  currentGrantShape,
  eventInclusionShape,
  packageShape,
  proofShape,
  runCertificateShape,
  signedGrantShape,
} from '../../src/evidence/shapes.ts';
import { decode, encode, type Shape } from '../../src/json/shape.ts';
import { type JsonNode, type JsonObject, parseTree } from '../../src/json/tree.ts';
import { vector } from './fixtures.ts';

const quorum = `{"format":"audit.quorum.v1","name":"q","tally":${vector('computed', 'governed_run', 'quorum', 'tally_bundle_json')},"votes":[${vector<readonly string[]>('computed', 'governed_run', 'quorum', 'vote_bundles_json').join(',')}]}`;

const ARTIFACTS: readonly (readonly [string, Shape<unknown>, string])[] = (
  [
    ['proof bundle', proofShape, vector('computed', 'proof_bundle_leaf_3')],
    ['absence bundle', absenceShape, vector('computed', 'absence_tool_use', 'bundle_json')],
    ['empty absence', absenceShape, vector('computed', 'absence_empty_set', 'bundle_json')],
    ['event inclusion', eventInclusionShape, vector('computed', 'events', 'inclusion_1_json')],
    ['signed grant', signedGrantShape, vector('computed', 'grants', 'child', 'signed_json')],
    ['current grant', currentGrantShape, vector('computed', 'current_grant', 'proof_json')],
    ['run certificate', runCertificateShape, vector('computed', 'governed_run', 'run_certificate_json')],
    ['package', packageShape, vector('computed', 'evidence_package_with_run_certificate', 'json')],
    ['approval package', packageShape, vector('computed', 'approval_evidence', 'package', 'json')],
    ['quorum', quorumFileShape, quorum],
  ] as const
).map(([name, shape, text]) => [name, shape as Shape<unknown>, text] as const);

/** Objects of a tree, except maps: their names are the application's. */
function objects(root: JsonNode): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const work: JsonNode[] = [root];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (node.kind === 'array') work.push(...node.items);
    if (node.kind !== 'object') continue;
    found.push(node);
    for (const { name, value } of node.members) if (name !== 'scope') work.push(value);
  }
  return found;
}

describe.each(ARTIFACTS)('a %s', (_, shape, text) => {
  const parsed = parseTree(utf8(text));
  if (!parsed.ok) throw new Error('the vector does not parse');
  const all = objects(parsed.root);
  const bytes = utf8(text);
  const slice = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  const inserted = (object: JsonObject, member: string) =>
    `${slice(0, object.start + 1)}${member}${object.members.length > 0 ? ',' : ''}${slice(object.start + 1, bytes.length)}`;
  const reads = (document: string) => decode(shape, utf8(document)).ok;

  it('reads, and is written again as it was', () => {
    const decoded = decode(shape, bytes);
    expect(decoded.ok && new TextDecoder().decode(encode(shape, decoded.value))).toBe(text);
  });

  it('is refused with a member too many, twice, or spelled otherwise, in any object of it', () => {
    for (const object of all) {
      expect(reads(inserted(object, '"extra":1'))).toBe(false);
      for (const { name, value } of object.members) {
        expect(reads(inserted(object, `${JSON.stringify(name)}:${slice(value.start, value.end)}`)), name).toBe(false);
        expect(
          reads(inserted(object, `${JSON.stringify(name.toUpperCase())}:${slice(value.start, value.end)}`)),
          name,
        ).toBe(false);
        const escaped = `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`;
        expect(reads(inserted(object, `${escaped}:${slice(value.start, value.end)}`)), name).toBe(false);
      }
    }
  });

  it('is refused with a value of another type in any place of it', () => {
    for (const object of all) {
      for (const { value } of object.members) {
        const other = value.kind === 'number' ? '"1"' : '7.0';
        expect(reads(`${slice(0, value.start)}${other}${slice(value.end, bytes.length)}`)).toBe(false);
      }
    }
  });

  it('is refused with anything after it, before it or nested without end in it', () => {
    expect(reads(`${text} {}`)).toBe(false);
    expect(reads(`\u{feff}${text}`)).toBe(false);
    expect(reads('{"format":'.repeat(20_000))).toBe(false);
    expect(reads(` \n\t\r${text}\n `)).toBe(true);
  });
});
