/** `bide/notify-cases.json`: documents with folds and findings, functions, and trails bound to heads (notifications 18). */
import { type Case, equals, type Json, type Suite } from '../suite.ts';

interface Expectation {
  readonly findings?: readonly Json[];
  readonly fold?: Json;
  readonly open?: Json;
  readonly bound?: boolean;
  readonly status?: number;
}
interface DocumentCase {
  readonly id: string;
  readonly title: string;
  readonly input: Json;
  readonly pubkey?: string;
  readonly flags?: readonly string[];
  readonly expect: Expectation;
}
interface Unit {
  readonly id: string;
  readonly fn: string;
  readonly args: readonly Json[];
  readonly want: Json;
}
interface File {
  readonly units: readonly Unit[];
  readonly cases: readonly DocumentCase[];
  readonly bound_cases: readonly DocumentCase[];
}

/** Names of the arguments of each function, in order; the predicates take one object. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  notifyID: ['key'],
  splitToKey: ['key'],
  parseEscalationKey: ['key'],
  validReceiver: ['name'],
  receivers: ['routing', 'kind', 'approvers'],
  lastSegment: ['records'],
  sameRecord: ['a', 'b'],
};

function unitCase({ id, fn, args, want }: Unit): Case {
  const names = ARGUMENTS[fn];
  const params =
    names === undefined
      ? (args[0] as { readonly [name: string]: Json })
      : Object.fromEntries(names.map((name, at) => [name, args[at] ?? null]));
  return { name: `${id} ${fn}`, op: `notify/${fn}`, params, expect: equals(want) };
}

function documentCase({ id, title, input, pubkey, flags, expect }: DocumentCase): Case {
  return {
    name: `${id} ${title}`,
    op: 'notify/judge',
    params: {
      document: input,
      ...(pubkey === undefined ? {} : { pubkey }),
      ...(flags === undefined ? {} : { flags }),
    },
    expect(answer) {
      const got = answer as Record<string, Json>;
      for (const name of ['status', 'bound', 'fold', 'open'] as const) {
        const want = expect[name];
        const wrong = want === undefined ? undefined : equals(want)(got[name] ?? null);
        if (wrong !== undefined) return `${name}: ${wrong}`;
      }
      return expect.findings === undefined
        ? undefined
        : equals(multiset(expect.findings))(multiset((got['findings'] ?? []) as readonly Json[]));
    },
  };
}

function multiset(findings: readonly Json[]): Json {
  return findings
    .map((finding) => {
      const { code, severity, where, index = null, key = null } = finding as Record<string, Json>;
      return JSON.stringify([code, severity, where, index, key] as Json[]);
    })
    .sort();
}

export const suites: readonly Suite[] = [
  {
    name: 'bide/notify-cases',
    folder: 'bide',
    *cases(folder) {
      const file = folder.json('notify-cases.json') as File;
      for (const unit of file.units) yield unitCase(unit);
      for (const one of [...file.cases, ...file.bound_cases]) yield documentCase(one);
    },
  },
];
