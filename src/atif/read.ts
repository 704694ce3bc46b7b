/** Reading a document, and the verdicts over it: atif-export 3. */
import type { Finding } from '../finding/finding.ts';
import { escapeToken } from '../json/pointer.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import { catalogue } from './catalogue.ts';
import { type AtifDocument, type Json, member } from './document.ts';
import { checkRules, firstBroken, MAX_EMBEDDING, type RulesReport, type VerdictName, type Violation } from './rules.ts';
import validateSchema from './schemaCheck.ts';

/** What reading gives: without a document the findings say why. */
export interface AtifReading {
  readonly document: AtifDocument | undefined;
  readonly rules: RulesReport | undefined;
  /** What the text itself is refused for: no JSON, or a name twice in one object. */
  readonly findings: readonly Finding[];
}

/** What ajv's compiled function is. */
interface SchemaCheck {
  (value: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}
const takes = validateSchema as unknown as SchemaCheck;

const decoder = new TextDecoder();

/** Reads a document and holds it against every rule. Members that it does not know are kept. */
export function readAtif(bytes: Uint8Array): AtifReading {
  const parsed = parseTree(bytes);
  if (!parsed.ok) {
    const { at, message } = parsed.problem;
    const finding = catalogue.find('atif/not-json', `the document is not JSON: ${message}`, { where: { byte: at } });
    return { document: undefined, rules: undefined, findings: [finding] };
  }
  return {
    document: JSON.parse(decoder.decode(bytes)) as AtifDocument,
    rules: checkRules(parsed.root),
    findings: repeatedNames(parsed.root),
  };
}

/** The first broken rule that a verdict asks for, or undefined where the document keeps all of them. */
export function verdictOf(bytes: Uint8Array, verdict: VerdictName): Violation | Finding | undefined {
  const { rules, findings } = readAtif(bytes);
  return findings[0] ?? firstBroken(rules?.violations ?? [], verdict);
}

/** Whether a closed object of the document, or of one embedded in it, carries a member that the format does not declare (2.8). */
export function hasUnknown(rules: RulesReport): boolean {
  return rules.violations.some(({ rule }) => rule === 'V22');
}

/** Whether a message or a result of the document itself has an image or audio part. */
export function hasMultimodalContent(document: AtifDocument): boolean {
  const isMedia = (content: unknown): boolean =>
    Array.isArray(content) && content.some((part: Json) => member(part, 'type') !== 'text');
  return document.steps.some(
    ({ message, observation }) =>
      isMedia(message) || observation?.results.some(({ content }) => isMedia(content)) === true,
  );
}

/** Where and why the published schema refuses a document; undefined when it takes it. Documents embedded too deep are not asked about. */
export function schemaProblem(
  document: AtifDocument,
  rules: RulesReport,
): { readonly pointer: string; readonly message: string } | undefined {
  if (rules.tooDeep !== undefined)
    return { pointer: rules.tooDeep, message: `documents are embedded deeper than ${MAX_EMBEDDING} levels` };
  if (takes(document)) return undefined;
  const [first] = takes.errors ?? [];
  return { pointer: first?.instancePath ?? '', message: first?.message ?? 'it is refused' };
}

const MOST_REPETITIONS = 100;

/** Every repetition of a member name in one object, at any depth. */
function repeatedNames(root: JsonNode): readonly Finding[] {
  const findings: Finding[] = [];
  // A place is kept as its last token and the place above it, and spelled only where something is found.
  interface Place {
    readonly node: JsonNode;
    readonly above: Place | undefined;
    readonly token: string | number;
  }
  const pointerOf = (place: Place | undefined): string => {
    const tokens: string[] = [];
    for (let at = place; at?.above !== undefined; at = at.above) tokens.push(`/${escapeToken(at.token)}`);
    return tokens.reverse().join('');
  };
  const work: Place[] = [{ node: root, above: undefined, token: '' }];
  for (let next = work.pop(); next !== undefined && findings.length < MOST_REPETITIONS; next = work.pop()) {
    const { node } = next;
    if (node.kind === 'array') {
      for (const [i, item] of node.items.entries())
        if (item.kind === 'array' || item.kind === 'object') work.push({ node: item, above: next, token: i });
    } else if (node.kind === 'object') {
      const seen = new Set<string>();
      for (const { name, nameStart, value } of node.members) {
        if (seen.has(name))
          findings.push(
            catalogue.find('atif/ambiguous', 'the member name stands twice in one object', {
              where: { byte: nameStart, pointer: `${pointerOf(next)}/${escapeToken(name)}` },
            }),
          );
        seen.add(name);
        if (value.kind === 'array' || value.kind === 'object') work.push({ node: value, above: next, token: name });
      }
    }
  }
  return findings;
}
