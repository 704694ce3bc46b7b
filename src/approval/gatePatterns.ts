/**
 * The `gates` of a trust file: which policy the calls of a run have to meet (approvals 8.1: the expected policy comes from the auditor,
 * never from the evidence). docs/trust-file.md describes them.
 *
 * In one file the first gate that matches a call decides. Every file is asked; where two answer differently, neither is taken.
 */
import type { Finding } from '../finding/finding.ts';
import { parseNodeKey } from '../journal/names.ts';
import type { JsonNode } from '../json/tree.ts';
import type { Section, Trust } from '../trust/trust.ts';
import { catalogue } from './catalogue.ts';
import type { Policy } from './policy.ts';
import { describePolicy, policyOf, sameList, validatePolicy } from './policy.ts';

/** What an auditor expects of a call's gate. */
export interface Expectation {
  /** `null`: these calls need no approval. */
  readonly policy: Policy | null;
  readonly timeoutMs?: bigint;
  /** The one who asked, where the auditor knows. */
  readonly requester?: string;
}

interface GatePattern extends Expectation {
  readonly run: string;
  readonly tool?: string;
  readonly node?: string;
}

export interface GateExpectations {
  /** What is expected of a call; undefined where no gate matches. */
  expected(run: string, call: string, tool: string): Expectation | undefined | { readonly conflict: Finding };
  readonly files: readonly {
    readonly file: string;
    readonly patterns: readonly (Expectation & { readonly inWords: string })[];
  }[];
  /** Whether any gate is for nodes of flows. */
  readonly namesNodes: boolean;
  readonly empty: boolean;
}

/** Reads the `gates` of every trust file. Findings are of class `unusable`. */
export function readGates(trust: Trust): { readonly gates: GateExpectations; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const files = (trust.sections.get('gates') ?? []).map((section) => ({
    file: section.file,
    patterns: readSection(section, findings),
  }));
  return {
    findings,
    gates: {
      files: files.map(({ file, patterns }) => ({
        file,
        patterns: patterns.map((pattern) => ({ ...pattern, inWords: gateInWords(pattern) })),
      })),
      namesNodes: files.some(({ patterns }) => patterns.some(({ node }) => node !== undefined)),
      empty: files.every(({ patterns }) => patterns.length === 0),
      expected(run, call, tool) {
        const answers = files.flatMap(({ file, patterns }) => {
          const pattern = patterns.find((candidate) => matches(candidate, run, call, tool));
          return pattern === undefined ? [] : [{ file, pattern }];
        });
        const [first, ...others] = answers;
        const other = others.find(({ pattern }) => first !== undefined && !agree(first.pattern, pattern));
        if (first === undefined || other === undefined) return first?.pattern;
        return {
          conflict: catalogue.find(
            'approval/gate-conflict',
            `${first.file} and ${other.file} expect different policies of call ${JSON.stringify(call)}`,
            {
              where: { entry: call, part: other.file },
              expected: inWords(first.pattern),
              actual: inWords(other.pattern),
            },
          ),
        };
      },
    },
  };
}

function matches(pattern: GatePattern, run: string, call: string, tool: string): boolean {
  if (!matchesGlob(pattern.run, run)) return false;
  const node = parseNodeKey(call);
  if (pattern.node !== undefined) return node !== undefined && matchesGlob(pattern.node, nodeName(call));
  return node === undefined && pattern.tool !== undefined && matchesGlob(pattern.tool, tool);
}

/** The name of a node without its iteration. */
export function nodeName(key: string): string {
  return key.replace(/^node:(?:iter:(?:0|[1-9][0-9]*):)?(?=[^:])/, '');
}

/** `*` stands for any characters, none included; everything else for itself. Linear in the text for each star. */
export function matchesGlob(glob: string, text: string): boolean {
  const [head = '', ...rest] = glob.split('*');
  if (rest.length === 0) return glob === text;
  const tail = rest.pop() as string;
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function agree(a: Expectation, b: Expectation): boolean {
  if (a.timeoutMs !== b.timeoutMs || a.requester !== b.requester) return false;
  if (a.policy === null || b.policy === null) return a.policy === b.policy;
  if (a.policy.kind === 'single' || b.policy.kind === 'single') return a.policy.kind === b.policy.kind;
  return (
    a.policy.need === b.policy.need &&
    sameList(a.policy.approvers, b.policy.approvers) &&
    a.policy.excludePrincipal === b.policy.excludePrincipal
  );
}

function inWords(expectation: Expectation): string {
  return expectation.policy === null ? 'no approval' : describePolicy(expectation.policy);
}

function gateInWords(pattern: GatePattern): string {
  const what = pattern.node === undefined ? `tool ${pattern.tool}` : `node ${pattern.node}`;
  const timeout = pattern.timeoutMs === undefined ? '' : `, within ${pattern.timeoutMs} ms`;
  const requester = pattern.requester === undefined ? '' : `, asked by ${pattern.requester}`;
  return `gate of ${what} in runs ${pattern.run}: ${inWords(pattern)}${timeout}${requester}`;
}

function readSection({ node, file }: Section, findings: Finding[]): readonly GatePattern[] {
  const wrong = (pointer: string, at: JsonNode, expected: string): undefined => {
    findings.push(
      catalogue.find('approval/gate-pattern', `${pointer} is not ${expected}`, {
        where: { part: file, pointer, byte: at.start, length: at.end - at.start },
        expected,
        actual: at.kind === 'string' ? JSON.stringify(at.value).slice(0, 80) : at.kind,
      }),
    );
    return undefined;
  };
  if (node.kind !== 'array') {
    wrong('/gates', node, 'a list of gates');
    return [];
  }
  return node.items.flatMap((item, i) => {
    const pattern = readPattern(item, `/gates/${i}`, wrong);
    return pattern === undefined ? [] : [pattern];
  });
}

function readPattern(
  item: JsonNode,
  pointer: string,
  wrong: (pointer: string, at: JsonNode, expected: string) => undefined,
): GatePattern | undefined {
  if (item.kind !== 'object') return wrong(pointer, item, 'an object');
  const members = new Map(item.members.map(({ name, value }) => [name, value]));
  let good = true;
  const text = (name: string): string | undefined => {
    const value = members.get(name);
    if (value === undefined) return undefined;
    if (value.kind === 'string' && value.value !== '' && !value.illFormed) return value.value;
    wrong(`${pointer}/${name}`, value, 'a text that is not empty');
    good = false;
    return undefined;
  };
  for (const { name, value } of item.members) {
    if (['about', 'run', 'tool', 'node', 'policy', 'timeout_ms', 'requester'].includes(name)) continue;
    wrong(`${pointer}/${name}`, value, 'one of about, run, tool, node, policy, timeout_ms, requester');
    good = false;
  }
  const [run, tool, node, requester] = [text('run') ?? '*', text('tool'), text('node'), text('requester')];
  text('about');
  if (members.has('tool') === members.has('node')) {
    wrong(pointer, item, 'a gate with either "tool" or "node"');
    good = false;
  }
  const timeout = members.get('timeout_ms');
  const timeoutMs =
    timeout?.kind === 'number' && /^[1-9][0-9]{0,15}$/.test(timeout.text) ? BigInt(timeout.text) : undefined;
  if (timeout !== undefined && timeoutMs === undefined) {
    wrong(`${pointer}/timeout_ms`, timeout, 'a whole number of milliseconds');
    good = false;
  }
  const value = members.get('policy');
  const read = value === undefined || value.kind === 'null' ? undefined : policyOf(value);
  if (value === undefined || (read !== undefined && 'problem' in read)) {
    wrong(`${pointer}/policy`, value ?? item, 'a policy such as {"need": 2, "approvers": ["ops", "risk"]}, or null');
    good = false;
  }
  const invalid = read !== undefined && 'policy' in read ? validatePolicy(read.policy) : undefined;
  if (invalid !== undefined) {
    wrong(`${pointer}/policy`, value as JsonNode, `a policy that can be met (${invalid})`);
    good = false;
  }
  if (!good) return undefined;
  return {
    run,
    policy: read !== undefined && 'policy' in read ? read.policy : null,
    ...(tool === undefined ? {} : { tool }),
    ...(node === undefined ? {} : { node }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(requester === undefined ? {} : { requester }),
  };
}
