/**
 * Inputs of every kind with their reports: every document that stands in a vector, the project's own and those made elsewhere where they are
 * at hand, and bytes of no kind. AUDIT_FUZZ takes all of them, otherwise a sample of each file.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { OWN_VECTORS, openFolder, SHARED_VECTORS } from '../conformance/folder.ts';
import { memorySource } from '../src/bytes/source.ts';
import { parseInstant } from '../src/time/instant.ts';
import { type NamedBytes, withTrust } from '../src/verify/options.ts';
import type { Report } from '../src/verify/report.ts';
import { verify } from '../src/verify/verify.ts';

export interface Given extends NamedBytes {
  readonly trust?: string;
}

export interface Reported {
  readonly given: Given;
  readonly report: Report;
}

const SAMPLE = process.env['AUDIT_FUZZ'] === undefined ? 8 : Number.POSITIVE_INFINITY;
const AT = parseInstant('2026-11-30T12:00:00Z') as bigint;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Documents in the parameters of a case: texts, base64, and lists of records as one file of lines. */
function* documents(value: unknown, name = ''): Generator<Uint8Array> {
  if (typeof value === 'string') {
    if (/^[A-Za-z0-9+/]{80,}={0,2}$/.test(value)) yield new Uint8Array(Buffer.from(value, 'base64'));
    else if (/^\s*[[{]/.test(value) || /\n\u2014 |^c2sp\.org\//.test(value)) yield utf8(value);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value) && name === 'records') {
    const lines = value.map((item: unknown) =>
      typeof item === 'string'
        ? item
        : Buffer.from((item as { data_b64?: string }).data_b64 ?? '', 'base64').toString(),
    );
    yield utf8(lines.map((line) => `${line}\n`).join(''));
    return;
  }
  if ('format' in value) yield utf8(JSON.stringify(value));
  for (const [key, item] of Object.entries(value)) yield* documents(item, Array.isArray(value) ? name : key);
}

/** The trust that a case is judged with: its trust file, or its key in every role. */
function trustOf(params: { readonly key?: unknown; readonly trust?: unknown }): { trust?: string } {
  const { key, trust } = params;
  if (Array.isArray(trust) && typeof trust[0] === 'string') return { trust: trust[0] };
  if (typeof key !== 'string' || !key.startsWith('ed25519:')) return {};
  const keys = [{ name: 'k', key, roles: ['log', 'issuer', 'anchor', 'witness', 'bundle', 'checker'] }];
  return { trust: JSON.stringify({ format: 'audit.trust.v1', keys }) };
}

const named = (path: string, bytes: Uint8Array, params: object): Given => ({ path, bytes, ...trustOf(params) });

/** The bundles of a quorum, which its command takes one by one, as the one file that hands them on. */
function quorumOf({ params }: { readonly params: object }, i: number): Given {
  const { name, tally, votes } = params as { name?: unknown; tally?: string; votes?: readonly string[] };
  const text = `{"format":"audit.quorum.v1","name":${JSON.stringify(name)},"tally":${tally},"votes":[${votes?.join(',')}]}`;
  return named(`evidence/quorum-${i}`, utf8(text), params);
}

/** A sample spread over a list. */
function spread<T>(items: readonly T[]): readonly T[] {
  if (items.length <= SAMPLE) return items;
  return Array.from({ length: SAMPLE }, (_, i) => items[Math.floor((i * items.length) / SAMPLE)] as T);
}

function* own(): Generator<Given> {
  const folder = openFolder(OWN_VECTORS);
  if (folder === undefined) throw new Error('the project has no vectors');
  for (const file of folder.files().filter((name) => name.endsWith('.json'))) {
    const { cases } = folder.json(file) as {
      readonly cases: readonly { readonly op: string; readonly params: object }[];
    };
    for (const op of new Set(cases.map((item) => item.op))) {
      if (op === 'evidence/verify-quorum') yield* spread(cases.filter((item) => item.op === op).map(quorumOf));
      const byParameter = new Map<string, Given[]>();
      for (const [i, item] of cases.entries()) {
        if (item.op !== op) continue;
        for (const [parameter, value] of Object.entries(item.params)) {
          if (parameter === 'trust') continue;
          const found = [...documents(value, parameter)].map((bytes, j) =>
            named(`${file.slice(0, -5)}-${i}-${parameter}-${j}`, bytes, item.params),
          );
          byParameter.set(parameter, [...(byParameter.get(parameter) ?? []), ...found]);
        }
      }
      for (const all of byParameter.values()) yield* op === 'audit/codes' ? all : spread(all);
    }
  }
}

function* shared(): Generator<Given> {
  for (const name of [
    'field',
    'agentsession/sessions',
    'agentsession/older',
    'bide/testdata',
    'pkits/certs',
    'pkits/crls',
    'atif',
  ]) {
    const folder = openFolder(`${SHARED_VECTORS}/${name}`);
    const files = folder?.files().filter((file) => !/\.md$|^cases\.json$|^expected\.json$/.test(file)) ?? [];
    for (const file of spread(files)) yield { path: `${name}/${file}`, bytes: folder?.bytes(file) ?? new Uint8Array() };
  }
  const interop = openFolder(`${SHARED_VECTORS}/interop`);
  for (const file of interop?.files().filter((name) => name.endsWith('.json')) ?? []) {
    const all = [...documents(interop?.json(file))].map((bytes, i) => ({
      path: `${basename(file, '.json')}-${i}`,
      bytes,
    }));
    yield* spread(all);
  }
}

const NO_KIND: readonly Given[] = [
  ['empty', ''],
  ['text', 'hello\n'],
  ['json', '{"a":1}'],
  ['cut', '{"format":"agentsession/0.14"'],
  ['zeros', '\0\0\0\0'],
  ['annotation', '::error::x\n##[error]x\n'],
].map(([path = '', text = '']) => ({ path: `no-kind/${path}`, bytes: utf8(text) }));

/** Every input once, by content. */
export function inputs(): readonly Given[] {
  const byDigest = new Map<string, Given>();
  for (const given of [...own(), ...shared(), ...NO_KIND]) {
    const digest = createHash('sha256')
      .update(given.bytes)
      .update(given.trust ?? '')
      .digest('hex');
    if (!byDigest.has(digest)) byDigest.set(digest, given);
  }
  return [...byDigest.values()];
}

export async function reportOf({ path, bytes, trust }: Given): Promise<Report> {
  const files = trust === undefined ? [] : [{ path: 'trust.json', bytes: utf8(trust) }];
  const { options, findings } = await withTrust(files, { at: AT });
  return verify([{ path, source: memorySource(bytes) }], options, { findings });
}

let cached: Promise<readonly Reported[]> | undefined;

/** The reports of all inputs, one each. */
export function corpus(): Promise<readonly Reported[]> {
  cached ??= (async () => {
    const reported: Reported[] = [];
    for (const given of inputs()) reported.push({ given, report: await reportOf(given) });
    return reported;
  })();
  return cached;
}

/** One report over the inputs of several. */
export function joined(reports: readonly Report[]): Report {
  const [first] = reports;
  if (first === undefined) throw new Error('nothing to join');
  const all = reports.flatMap((report) => report.inputs);
  const worst = (['not_verified', 'unusable_input', 'no_verdict', 'verified'] as const).find((result) =>
    reports.some((report) => report.result === result),
  );
  const count = (result: string) => all.filter((input) => input.result === result).length;
  return {
    ...first,
    result: worst ?? 'no_verdict',
    status: ({ not_verified: 1, unusable_input: 4, no_verdict: 3, verified: 0 } as const)[worst ?? 'no_verdict'],
    totals: {
      inputs: all.length,
      verified: count('verified'),
      not_verified: count('not_verified'),
      no_verdict: count('no_verdict'),
      unusable_input: count('unusable_input'),
      left_out: 3,
    },
    findings: reports.flatMap((report) => report.findings),
    inputs: all,
  };
}
