/** Every finding code of this module is one that a case of its vectors or a test here provokes. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { catalogue } from '../../src/evidence/catalogue.ts';
import { headStampFindings } from '../../src/evidence/headStamp.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { redactionWarnings } from '../../src/evidence/redaction.ts';
import { readEntries } from '../../src/journal/export.ts';
import { headShape, type TreeHead } from '../../src/log/head.ts';
import { bide } from '../bide/memory.ts';
import { vector } from './fixtures.ts';
import { TallyScene } from './gates.ts';

const seen = new Set<string>();
const saw = (codes: Iterable<string>) => {
  for (const code of codes) seen.add(code);
  return [...codes];
};
const codesOf = (findings: readonly { readonly code: string }[]) => saw(findings.map((finding) => finding.code));

const head = (): TreeHead => {
  const read = readArtifact(headShape, utf8(vector('computed', 'head_size_7', 'json')));
  if (!read.ok) throw new Error('no head');
  return read.value;
};
const KEY = ['-pubkey', vector('computed', 'keys', 'log', 'public_key_hex')];

async function bideCodes(args: readonly string[], files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const run = await bide(['-json', ...args], files);
  const { report } = JSON.parse(run.out) as { report: { findings: readonly { code: string }[] } };
  return codesOf(report.findings);
}

describe('codes of what stands beside an artifact', () => {
  it('are about time stamps over heads', () => {
    const { timestamp_nanos: at } = head();
    expect(codesOf(headStampFindings(head(), at - 301_000_000_000n, 0n))).toEqual(['evidence/stamp-contradicts-head']);
    expect(codesOf(headStampFindings(head(), at - 299_000_000_000n, 0n))).toEqual([]);
    expect(codesOf(headStampFindings(head(), at + 3_600_000_000_001n, 0n))).toEqual(['evidence/stamp-late']);
  });

  it('are about redactions of a run that goes on', () => {
    const salt = base64(new Uint8Array(32).fill(3));
    const { journal } = readEntries('r', [
      { data: utf8(`{"name":"@journal","kind":"header","format":"bide.journal.v1-dev","salt":"${salt}"}`) },
      { data: utf8(`{"redacted":{"leaf_hash":"${'ab'.repeat(32)}","at_ms":1}}`) },
    ]);
    if (journal === undefined) throw new Error('no journal');
    expect(codesOf(redactionWarnings(journal))).toEqual(['evidence/redacted-running']);
  });

  it('are about what the command line gives', async () => {
    const files = {
      'bundle.json': vector('computed', 'proof_bundle_leaf_3'),
      'cert.json': vector('computed', 'governed_run', 'run_certificate_json'),
      'journal.json': vector('computed', 'export'),
      'sth.json': vector('computed', 'head_size_7', 'json'),
      'absence.json': vector('computed', 'absence_tool_use', 'bundle_json').replaceAll('tooluse:', 'x:'),
    };
    expect(await bideCodes(['verify', '-bundle', 'bundle.json', '-pubkey', 'nothing'], files)).toContain(
      'evidence/key-unusable',
    );
    expect(
      await bideCodes(
        ['prove', '-journal', 'journal.json', '-sth', 'sth.json', '-index', '1', '-out', '/nowhere/x'],
        files,
      ),
    ).toContain('evidence/not-written');
    expect(await bideCodes(['verify-absent', '-bundle', 'absence.json', ...KEY], files)).toContain(
      'evidence/unknown-key-set',
    );
  });

  it('are about lists that are no text', async () => {
    const run = await bide(['-json', 'verify-run', '-cert', 'cert.json', ...KEY, '-approved-file', 'list.bin'], {
      'cert.json': vector('computed', 'governed_run', 'run_certificate_json'),
      'list.bin': Uint8Array.of(0xff, 0xfe),
    });
    expect(run.status).toBe(4);
    expect(run.out).toContain('evidence/allowlist-unreadable');
    saw(['evidence/allowlist-unreadable']);
  });
});

describe('gates in packages', () => {
  let scene: TallyScene;
  beforeAll(async () => {
    scene = await TallyScene.make();
  });

  it('that were denied are consistent and not approved', () => {
    const denied = scene.judge({ approvals: ['alice'], denials: ['bob'], need: 2, approvers: ['alice', 'bob'] });
    expect(denied.ok).toBe(false);
    expect(codesOf(denied.findings.filter((finding) => finding.class !== 'none'))).toEqual([
      'evidence/approval-not-passed',
    ]);
    expect(scene.judge({ approvals: ['alice', 'bob'], denials: [], need: 2, approvers: ['alice', 'bob'] }).ok).toBe(
      true,
    );
  });

  it('that were asked for twice under one id with other arguments are not approved', () => {
    const twice = scene.judge({
      approvals: ['alice', 'bob'],
      denials: [],
      need: 2,
      approvers: ['alice', 'bob'],
      askedAgain: '{"amount":2}',
    });
    expect(codesOf(twice.findings)).toContain('evidence/approval-calls-differ');
    const same = scene.judge({
      approvals: ['alice', 'bob'],
      denials: [],
      need: 2,
      approvers: ['alice', 'bob'],
      askedAgain: '{ "amount": 1 }',
    });
    expect(same.ok).toBe(true);
  });

  it('whose parts are missing, or under another head, say so', () => {
    const without = scene.judge({
      approvals: ['alice', 'bob'],
      denials: [],
      need: 2,
      approvers: ['alice', 'bob'],
      leaveOut: 'tool',
    });
    expect(codesOf(without.findings)).toContain('evidence/approval-missing');
    const foreign = scene.judge({
      approvals: ['alice', 'bob'],
      denials: [],
      need: 2,
      approvers: ['alice', 'bob'],
      otherHeadFor: 'approval',
    });
    expect(codesOf(foreign.findings)).toEqual(
      expect.arrayContaining(['evidence/approval-ignored', 'approval/decision-omitted']),
    );
  });
});

it('all codes are provoked', () => {
  for (const name of ['rules', 'road']) {
    const file = readFileSync(new URL(`../../vectors/evidence/${name}.json`, import.meta.url), 'utf8');
    const { cases } = JSON.parse(file) as {
      readonly cases: readonly { readonly answer: { readonly codes?: readonly string[] } }[];
    };
    for (const { answer } of cases) saw(answer.codes ?? []);
  }
  expect(Object.keys(catalogue.entries).filter((code) => !seen.has(code))).toEqual([]);
});
