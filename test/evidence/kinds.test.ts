import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeUtf8, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { packageShape } from '../../src/evidence/shapes.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { type JsonNode, parseTree } from '../../src/json/tree.ts';
import { readTrust } from '../../src/trust/read.ts';
import type { Trust } from '../../src/trust/trust.ts';
import type { Input } from '../../src/verify/kind.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import { vector } from './fixtures.ts';
import { type Gate, TallyScene } from './gates.ts';

/** After every head of the vectors and before their grants expire. */
const NOW = 1_795_000_000_000_000_000n;

const input = (path: string, content: string | Uint8Array): Input => ({
  path,
  source: memorySource(typeof content === 'string' ? utf8(content) : content),
});

/** Everything that a verification is given besides the artifact. */
interface Support {
  readonly trust: Readonly<Record<string, unknown>>;
  readonly companions: readonly Input[];
  readonly heads: readonly Input[];
}

async function trustOf(value: Readonly<Record<string, unknown>>): Promise<Trust> {
  const { trust, findings } = await readTrust([
    { name: 'trust.json', bytes: utf8(JSON.stringify({ format: 'audit.trust.v1', ...value })) },
  ]);
  if (findings.length > 0) throw new Error(JSON.stringify(findings));
  return trust;
}

async function judge(artifact: string, support: Support): Promise<InputReport> {
  const report = await verify([input('artifact.json', artifact)], {
    trust: await trustOf(support.trust),
    at: NOW,
    companions: support.companions,
    heads: support.heads,
  });
  return report.inputs[0] as InputReport;
}

const LOG = { name: 'log', roles: ['log'], key: vector('computed', 'keys', 'log', 'public_key_text') };
const issuer = (name: string, of: string) => ({
  name,
  roles: ['issuer'],
  key: vector('computed', 'keys', of, 'public_key_text'),
});

interface KindCase {
  readonly kind: string;
  readonly artifact: () => string;
  readonly support: () => Support;
  /** Claims verified with all support. */
  readonly verified: readonly string[];
}

const only = (companions: readonly Input[] = [], heads: readonly Input[] = [], trust: object = {}): Support => ({
  trust: { keys: [LOG], ...trust },
  companions,
  heads,
});

const governed = (name: string) => vector('computed', 'governed_run', name);
const DIGEST = vector('computed', 'governed_run', 'policy_digest_hex');
const events = vector<readonly { kind: string; leaf_data_after_tag_utf8: string }[]>('computed', 'events', 'leaves');

const CASES: readonly KindCase[] = [
  {
    kind: 'proof',
    artifact: () => vector('computed', 'proof_bundle_leaf_3'),
    support: () => only(),
    verified: ['authorship', 'inclusion'],
  },
  {
    kind: 'absence',
    artifact: () => vector('computed', 'absence_tool_use', 'bundle_json'),
    support: () => only([input('export.json', vector('computed', 'export'))]),
    verified: ['authorship', 'absence', 'projection'],
  },
  {
    kind: 'event',
    artifact: () => vector('computed', 'events', 'inclusion_1_json'),
    support: () =>
      only(
        [input('event.json', (events[1] as (typeof events)[number]).leaf_data_after_tag_utf8)],
        [input('head.json', vector('computed', 'events', 'head', 'json'))],
      ),
    verified: ['authorship', 'inclusion'],
  },
  {
    kind: 'grants',
    artifact: () =>
      `[${vector('computed', 'grants', 'root', 'signed_json')},${vector('computed', 'grants', 'child', 'signed_json')}]`,
    support: () => ({
      trust: { keys: [issuer('principal-alice', 'issuer alice'), issuer('agent-1', 'issuer agent-1')] },
      companions: [],
      heads: [],
    }),
    verified: ['authorship', 'attenuation'],
  },
  {
    kind: 'current-grant',
    artifact: () => vector('computed', 'current_grant', 'proof_json'),
    support: () =>
      only(
        [input('grant.json', vector('computed', 'current_grant', 'signed_grant_json'))],
        [input('seen.json', vector('computed', 'current_grant', 'last_seen_head_json'))],
      ),
    verified: ['authorship', 'inclusion', 'current', 'consistency'],
  },
  {
    kind: 'run-certificate',
    artifact: () => governed('run_certificate_json'),
    support: () => only([], [], { approved_policies: [DIGEST] }),
    verified: ['authorship', 'inclusion', 'only-approved-policies', 'policies-convergence-certified'],
  },
  {
    kind: 'package',
    artifact: () => vector('computed', 'evidence_package_with_run_certificate', 'json'),
    support: () => only([], [], { approved_policies: [DIGEST] }),
    verified: ['authorship', 'inclusion', 'only-approved-policies', 'policies-convergence-certified'],
  },
  {
    kind: 'package',
    artifact: () => vector('computed', 'approval_evidence', 'package', 'json'),
    support: () =>
      only([], [], {
        approvers: { ...vector<object>('computed', 'approval_evidence', 'approver_keys') },
        gates: [
          {
            run: 'acme/*',
            tool: 'refund',
            policy: { need: 2, approvers: ['ops', 'finance'], exclude_principal: true },
          },
        ],
      }),
    verified: ['authorship', 'inclusion', 'count', 'outcome', 'disclosure'],
  },
  {
    kind: 'quorum',
    artifact: () =>
      `{"format":"audit.quorum.v1","name":"q","tally":${vector('computed', 'governed_run', 'quorum', 'tally_bundle_json')},"votes":[${vector<readonly string[]>('computed', 'governed_run', 'quorum', 'vote_bundles_json').join(',')}]}`,
    support: () => only(),
    verified: ['authorship', 'inclusion', 'count'],
  },
];

/** The text of a tree without the nodes of a set. Absent members have the zero value, as `null` ones do. */
function write(node: JsonNode, text: string, without: ReadonlySet<JsonNode>): string {
  if (node.kind === 'object')
    return `{${node.members
      .filter(({ value }) => !without.has(value))
      .map(({ name, value }) => `${JSON.stringify(name)}:${write(value, text, without)}`)
      .join(',')}}`;
  if (node.kind === 'array')
    return `[${node.items
      .filter((item) => !without.has(item))
      .map((item) => write(item, text, without))
      .join(',')}]`;
  return decodeUtf8(utf8(text).subarray(node.start, node.end)) as string;
}

function nodesOf(root: JsonNode): readonly JsonNode[] {
  const found: JsonNode[] = [];
  const work = [root];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const below =
      node.kind === 'object' ? node.members.map(({ value }) => value) : node.kind === 'array' ? node.items : [];
    found.push(...below);
    work.push(...below);
  }
  // An absent member has the zero value, so leaving out one that has it changes nothing (audit spec 0.5 rule 11).
  return found.filter((node) => node.kind !== 'null' && !(node.kind === 'number' && node.text === '0'));
}

const rootOf = (text: string): JsonNode => {
  const parsed = parseTree(utf8(text));
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.root;
};

const verifiedClaims = (report: InputReport) =>
  report.claims.filter(({ verdict }) => verdict === 'verified').map(({ claim }) => claim);

describe.each(CASES.map((item, i) => [`${item.kind} (${i})`, item] as const))('kind %s', (_, item) => {
  let base: InputReport;
  beforeAll(async () => {
    base = await judge(item.artifact(), item.support());
  });

  it('is recognised and verified with everything that supports it', () => {
    expect(base.kind).toBe(item.kind);
    expect(base.findings.filter((finding) => finding.class !== 'none')).toEqual([]);
    expect(base.result).toBe('verified');
    expect(verifiedClaims(base)).toEqual(expect.arrayContaining([...item.verified]));
  });

  it('says of every undecided claim what is missing', async () => {
    for (const support of [item.support(), { trust: {}, companions: [], heads: [] }]) {
      const report = await judge(item.artifact(), support);
      for (const { claim, verdict } of report.claims)
        if (verdict === 'undecided') expect(report.missing.map((row) => row.claim)).toContain(claim);
      for (const { verdict, grade } of report.claims) if (verdict !== 'undecided') expect(grade).toBe('rechecked');
    }
  });

  it('gives no better claim with less support (law 1), and nothing with none', async () => {
    const whole = item.support();
    const none = await judge(item.artifact(), { trust: {}, companions: [], heads: [] });
    expect(none.result).not.toBe('verified');
    const fewer: Support[] = [
      { ...whole, trust: {} },
      { ...whole, companions: [] },
      { ...whole, heads: [] },
      ...Object.keys(whole.trust).map((name) => ({
        ...whole,
        trust: Object.fromEntries(Object.entries(whole.trust).filter(([key]) => key !== name)),
      })),
      ...((whole.trust['keys'] as readonly unknown[]) ?? []).map((_, i) => ({
        ...whole,
        trust: { ...whole.trust, keys: (whole.trust['keys'] as readonly unknown[]).filter((__, j) => j !== i) },
      })),
    ];
    for (const support of fewer) {
      const report = await judge(item.artifact(), support);
      const before = new Set(verifiedClaims(base));
      for (const claim of verifiedClaims(report)) expect(before).toContain(claim);
    }
  });

  it('does not stay verified when any one member is taken out of it', async () => {
    const text = item.artifact();
    const root = rootOf(text);
    // The beginning of a chain of grants is a chain of its own, and says so in its scope.
    const own: readonly JsonNode[] = root.kind === 'array' ? root.items : [];
    for (const node of nodesOf(root)) {
      if (own.includes(node)) continue;
      const report = await judge(write(root, text, new Set([node])), item.support());
      if (report.result === 'verified')
        throw new Error(`still verified without ${text.slice(node.start - 30, node.start + 40)}`);
    }
  });

  it('does not become verified by taking members away from an altered one', async () => {
    const text = item.artifact();
    const altered = text.replace(
      /"(signature|sig)":"(.)/,
      (_, name: string, first: string) => `"${name}":"${first === 'A' ? 'B' : 'A'}`,
    );
    const root = rootOf(altered);
    const nodes = nodesOf(root);
    const support = item.support();
    // An artifact without a signature of its own is judged under heads beside it: alter those instead.
    const judged =
      altered === text
        ? {
            ...support,
            trust: { keys: [{ ...LOG, key: vector('computed', 'keys', 'another log', 'public_key_text') }] },
          }
        : support;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat({ max: nodes.length - 1 }), { maxLength: 4 }),
        fc.boolean(),
        async (chosen, bare) => {
          const report = await judge(
            write(root, altered, new Set(chosen.map((i) => nodes[i] as JsonNode))),
            bare ? { ...judged, trust: {} } : judged,
          );
          expect(report.result).not.toBe('verified');
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('an artifact of another version or another shape', () => {
  it('is recognised and unusable, and nothing of it is verified', async () => {
    for (const { artifact, support, kind } of CASES) {
      const text = artifact();
      const older = text.replace(/\.v(\d)"/, (_, n: string) => `.v${Number(n) + 1}"`);
      if (older === text || kind === 'grants') continue;
      const report = await judge(older, support());
      expect([report.kind, report.result]).toEqual([kind, 'unusable_input']);
      expect(verifiedClaims(report)).toEqual([]);
    }
  });
});

describe('the time of a head', () => {
  it('is verified by a token over it whose authority is trusted, and is the word of the log without', async () => {
    const anchors = [vector('computed', 'rfc3161', 'tsa_root_der_base64')];
    const token = input('head.tsr', unbase64(vector('computed', 'rfc3161', 'good', 'token_der_base64')) as Uint8Array);
    const time = async (support: Support) =>
      (await judge(vector('computed', 'proof_bundle_leaf_3'), support)).claims.find(({ claim }) => claim === 'time');
    expect(await time(only([token], [], { anchors }))).toMatchObject({ verdict: 'verified', grade: 'rechecked' });
    expect(await time(only([token]))).toMatchObject({ verdict: 'undecided', grade: 'asserted' });
    const other = input(
      'other.tsr',
      unbase64(vector('computed', 'rfc3161', 'wrong_imprint', 'token_der_base64')) as Uint8Array,
    );
    expect(await time(only([other], [], { anchors }))).toMatchObject({ verdict: 'undecided' });
  });

  it('fails before the head was stamped', async () => {
    const report = await verify([input('a', vector('computed', 'proof_bundle_leaf_3'))], {
      trust: await trustOf({ keys: [LOG] }),
      at: 1n,
    });
    expect(report.inputs[0]?.result).toBe('not_verified');
    expect(report.inputs[0]?.claims.find(({ claim }) => claim === 'time')?.verdict).toBe('failed');
  });
});

it('a projection that the journal contradicts fails the claim and not the absence', async () => {
  const records = vector<readonly { record_utf8: string }[]>('computed', 'journal', 'records').map(({ record_utf8 }) =>
    utf8(record_utf8),
  );
  const other = encodeExport('acme/order-42', records.slice(0, 6));
  const report = await judge(
    vector('computed', 'absence_tool_use', 'bundle_json'),
    only([input('export.json', other)]),
  );
  expect(report.claims.map(({ claim, verdict }) => [claim, verdict])).toEqual([
    ['authorship', 'verified'],
    ['absence', 'verified'],
    ['projection', 'failed'],
    ['time', 'undecided'],
  ]);
  expect(report.result).toBe('not_verified');
});

describe('a package that discloses a gate', () => {
  const gate = { approvals: ['alice'], denials: ['bob'], need: 2, approvers: ['alice', 'bob'] };
  const verdicts = async (of: Gate, change: object = {}) => {
    const scene = await TallyScene.make();
    const text = decodeUtf8(encode(packageShape, scene.evidence(of))) as string;
    const report = await judge(text, { trust: { ...scene.trust(of), ...change }, companions: [], heads: [] });
    return [
      report.result,
      ...['count', 'outcome', 'disclosure'].map((name) => report.claims.find(({ claim }) => claim === name)?.verdict),
    ];
  };

  it('that was denied is verified as that: it shows that the call was not approved', async () => {
    expect(await verdicts(gate)).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(await verdicts({ ...gate, approvals: ['alice', 'bob'], denials: [] })).toEqual([
      'verified',
      'verified',
      'verified',
      'verified',
    ]);
  });

  it('is not verified with a decision left out, or without keys or policy to count by', async () => {
    const passed = { ...gate, approvals: ['alice', 'bob'], denials: [] };
    expect((await verdicts({ ...passed, otherHeadFor: 'approval' }))[0]).toBe('not_verified');
    expect((await verdicts({ ...passed, leaveOut: 'tool' }))[0]).toBe('not_verified');
    for (const change of [{ approvers: {} }, { gates: [] }])
      expect((await verdicts(passed, change))[0]).not.toBe('verified');
  });
});
