/** The whole road: what `audit verify` says of an input, in short. */
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { inputOf, withTrust } from '../../src/verify/options.ts';
import { assemble, STATUS } from '../../src/verify/report.ts';
import { givenBy, unreadableInput, verify, verifyInput } from '../../src/verify/verify.ts';
import type { Json, Operation } from '../suite.ts';

const strings = (value: Json | undefined): readonly string[] | undefined =>
  Array.isArray(value) ? (value as readonly Json[]).map(String) : undefined;

export const operations: Record<string, Operation> = {
  /** Status, findings with their lines, claims and subject of one file without any trust. */
  'audit/verify': async ({ path, file_b64, require, expect_ids }) => {
    const bytes = unbase64(String(file_b64)) ?? new Uint8Array();
    const [required, expected] = [strings(require), strings(expect_ids)];
    const report = await verifyInput(
      { path: String(path), source: memorySource(bytes) },
      {
        trust: NO_TRUST,
        ...(required === undefined ? {} : { require: required }),
        ...(expected === undefined ? {} : { expectIds: expected }),
      },
    );
    return {
      status: STATUS[report.result],
      findings: report.findings.map(
        ({ code, where, class: effect }): Json => ({ code, line: where.line ?? null, class: effect }),
      ),
      claims: report.claims.map(({ claim, verdict }): Json => [claim, verdict]),
      subject: report.subject,
      counts: report.counts,
    };
  },
  /**
   * Exit status, kind, and the codes that are reported, those of undecided claims that are required among them: what each format names. The
   * file, heads and companions are texts or base64, media the same by their names; without a file the input is one that cannot be read.
   */
  'audit/codes': async ({ file, file_b64, trust, heads, companions, media, at, require, expect_ids, expect_leaf }) => {
    const [required, expected, instant] = [
      strings(require),
      strings(expect_ids),
      at === undefined ? undefined : parseInstant(String(at)),
    ];
    const { options, findings } = await withTrust(
      (strings(trust) ?? []).map((text, i) => ({ path: `trust ${i}`, bytes: utf8(text) })),
      {
        heads: (strings(heads) ?? []).map((text, i) => inputOf({ path: `head ${i}`, bytes: bytesOf(text) })),
        companions: (strings(companions) ?? []).map((text, i) =>
          inputOf({ path: `companion ${i}`, bytes: bytesOf(text) }),
        ),
        media: Object.entries(media ?? {}).map(([name, text]) =>
          inputOf({ path: `media/${name}`, bytes: bytesOf(String(text)) }),
        ),
        ...(instant === undefined ? {} : { at: instant }),
        ...(required === undefined ? {} : { require: required }),
        ...(expected === undefined ? {} : { expectIds: expected }),
        ...(typeof expect_leaf === 'string' ? { expectLeaf: expect_leaf } : {}),
      },
    );
    const given = file_b64 === undefined ? file : `base64:${String(file_b64)}`;
    const report =
      given === undefined
        ? assemble([unreadableInput('input', 'there is no such file')], findings, givenBy(options))
        : await verify([inputOf({ path: 'input', bytes: bytesOf(String(given)) })], options, { findings });
    const [input] = report.inputs;
    const open = input?.claims.some(({ claim, verdict }) => verdict === 'undecided' && input.required.includes(claim));
    const codes = [...report.findings, ...(input?.findings ?? [])].map(({ code }): string => code);
    return {
      status: report.status,
      kind: input?.kind ?? null,
      codes: [...new Set(open === true ? [...codes, 'claim/undecided'] : codes)].sort(),
    };
  },
};

function bytesOf(text: string): Uint8Array {
  return text.startsWith('base64:') ? (unbase64(text.slice(7)) ?? new Uint8Array()) : utf8(text);
}
