/** ATIF documents on the whole road: what is broken is never verified, and what nobody claims stays undecided. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_VECTORS, SHARED_VECTORS } from '../../conformance/folder.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';

async function judge(text: string | Uint8Array, require?: readonly string[]): Promise<InputReport> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const report = await verify([{ path: 'x.json', source: memorySource(bytes) }], {
    trust: NO_TRUST,
    ...(require === undefined ? {} : { require }),
  });
  const [input] = report.inputs;
  if (input === undefined) throw new Error('an input');
  return input;
}
const codes = ({ findings }: InputReport): readonly string[] => findings.map(({ code }) => code);

interface Rules {
  readonly cases: readonly {
    readonly name: string;
    readonly params: { readonly document: unknown };
    readonly answer: { readonly closed?: boolean; readonly codes: readonly string[] };
  }[];
}
const { cases } = JSON.parse(readFileSync(join(OWN_VECTORS, 'atif/rules.json'), 'utf8')) as Rules;
const documents = cases
  .filter(({ params: { document } }) => !Array.isArray(document))
  .map(({ name, params: { document }, answer }) => ({
    name,
    answer,
    text: typeof document === 'string' ? document : JSON.stringify(document),
  }));

const document = (more: string): string =>
  `{"schema_version":"ATIF-v1.8","trajectory_id":"x","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":""}]${more}}`;

describe('an ATIF document', () => {
  it.each(documents)('$name', async ({ text, answer }) => {
    const input = await judge(text);
    expect(input.kind).toBe('atif');
    const isSound = answer.closed === true && answer.codes.length === 0;
    expect(input.result).toBe(isSound ? 'verified' : answer.closed === undefined ? 'unusable_input' : 'not_verified');
    for (const code of answer.codes) expect(codes(input)).toContain(code);
  });

  it('says that the schema refuses it, beside the rule that says why', async () => {
    const input = await judge(document(',"mood":1'));
    expect(codes(input)).toEqual(['atif/undeclared-member', 'atif/schema']);
    expect(input.claims.map(({ claim, verdict }) => [claim, verdict])).toEqual([
      ['schema', 'failed'],
      ['rules', 'verified'],
      ['items', 'undecided'],
    ]);
  });

  it('says nothing of what is embedded deeper than is read', async () => {
    let text = document('');
    for (let i = 0; i < 101; i++) text = document(`,"subagent_trajectories":[${text}]`);
    const input = await judge(text);
    expect(input.result).toBe('unusable_input');
    expect(codes(input)).toEqual(['atif/embedding-depth']);
    expect(input.claims.filter(({ verdict }) => verdict === 'verified')).toEqual([]);
  });

  it('is not verified by items that it does not carry', async () => {
    expect((await judge(document(''), ['items'])).result).toBe('no_verdict');
    expect((await judge(document(''))).result).toBe('verified');
  });

  it('is recognised by what it holds, with its version last or lost', async () => {
    const { schema_version, ...rest } = JSON.parse(document('')) as { readonly schema_version: string };
    expect((await judge(JSON.stringify({ ...rest, schema_version }))).result).toBe('verified');
    expect(codes(await judge(JSON.stringify(rest)))).toContain('atif/other-format');
    expect((await judge('{"schema_version":"other-1","steps":[]}')).kind).not.toBe('atif');
  });

  const folder = join(SHARED_VECTORS, 'atif');
  it.skipIf(!existsSync(folder))(
    'made elsewhere is verified where it is valid and refused where it is not',
    async () => {
      for (const kind of ['valid', 'invalid', 'sessions'])
        for (const name of readdirSync(join(folder, kind)).filter((file) => file.endsWith('.json'))) {
          const input = await judge(new Uint8Array(readFileSync(join(folder, kind, name))));
          expect([name, input.kind, input.result]).toEqual([
            name,
            'atif',
            kind === 'invalid' ? 'not_verified' : 'verified',
          ]);
        }
    },
  );
});
