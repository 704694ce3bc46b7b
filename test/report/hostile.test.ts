/** Hostile text in every place of a report that takes text, in every format. */
import { describe, expect, it } from 'vitest';
import type { Finding, FindingCode } from '../../src/finding/finding.ts';
import { FORMATS, type Format, render, type Surface } from '../../src/report/format.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import { identify } from '../../src/verify/identity.ts';
import { assemble, type InputReport, type Report } from '../../src/verify/report.ts';
import { commands, elements, hasXmllint, parseXml, reportFaults, sarifFaults, xsdFaults } from './readers.ts';

const HOSTILE: Readonly<Record<string, string>> = {
  controls: 'a\u0000b\u0007c\u001b[31md\u0085e\u007f',
  'line ends': 'a\r\nb\nc\rd\u2028e\u2029f',
  bidirectional: 'a\u202eb\u2066c\u2069\u200f\ufeffd\u200b\u{e0041}',
  'a CDATA end': 'a]]>b<![CDATA[c',
  'a workflow command': '::error file=x,line=1::injected',
  'a workflow command after white space': ' \u00a0 \u3000::add-mask::x',
  'a workflow command on a new line': 'x\n::set-output name=a::b',
  'an old workflow command': 'x ##[error]y ##vso[task.complete]z ##teamcity[buildStop]',
  'percent escapes': '%0A::error::x %25 %3A%2C',
  'lone surrogates': 'a\ud800b\udc00c\udfff\ud83d',
  'half of a pair at every cut': '\ud83d\ude00'.repeat(3000),
  'very long': 'x'.repeat(66_000),
  'many signs of a command': '#'.repeat(5_000),
  'a SARIF placeholder': '{0} {{1}} [x](1) [y](https://example.com) \\[z',
  'a script end': '</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)>',
  'quotes and entities': '" onload="x\' &amp; &#x1b; <a>',
  'a non-character': '\ufffe\uffff',
  'a prototype': '__proto__',
  'a section': '\u001b[0Ksection_start:1:x\r\u001b[0K',
};

/** A report in which every place that takes text holds this one; codes and times too, unless they are given. */
function filled(text: string, code = text, time = text): Report {
  const findingOf = (severity: Finding['severity'], cls: Finding['class']): Finding => ({
    code: code as FindingCode,
    class: cls,
    severity,
    message: text,
    where: { line: 3, byte: 9, length: 2, column: 1, endColumn: 3, entry: text, pointer: text, part: text },
    expected: text,
    actual: text,
    rule: text,
    remedy: text,
  });
  const kinds = [
    findingOf('error', 'not_verified'),
    findingOf('error', 'unusable'),
    findingOf('warning', 'no_verdict'),
    findingOf('note', 'none'),
    findingOf('error', 'not_verified'),
  ];
  const input: InputReport = {
    path: text,
    kind: 'trail',
    sha256: null,
    bytes: 10,
    as_of: { time: '2026-11-30T12:00:00Z', source: 'option' },
    result: 'not_verified',
    required: [text, `${text} 2`],
    subject: { [text]: text, format: text },
    counts: { [text]: 1 },
    claims: (['verified', 'failed', 'failed', 'undecided'] as const).map((verdict, i) => ({
      claim: i === 2 ? `${text} 2` : text,
      verdict,
      grade: verdict === 'undecided' ? ('none' as const) : ('rechecked' as const),
      scope: text,
      detail: text,
      reproducible_until: time,
    })),
    findings: identify(
      text,
      kinds,
      kinds.map(() => text),
    ),
    missing: [{ claim: text, item: text, who: text, from: time }],
    not_supplied: [text],
    timeline: [{ time: text, type: text, text, entry: text, lane: text, verdict: 'failed' }],
  };
  const given = {
    trust: [{ path: text, sha256: '0'.repeat(64) }],
    heads: [{ path: text, sha256: '0'.repeat(64) }],
    companions: [{ path: text, sha256: '0'.repeat(64) }],
    media: [{ path: text, sha256: '0'.repeat(64) }],
    require: [text],
    expect_ids: [text],
    expect_leaf: text,
    entry: text,
    run: text,
  };
  return assemble([input, input, { ...input, kind: null }], [findingOf('error', 'unusable')], given);
}

const surface: Surface = { colour: false, width: 80, catalogue: allEntries, verifier: () => 'const a = "</script>";' };
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

describe.each(Object.entries(HOSTILE))('with %s in every place', (_, text) => {
  const report = filled(text);
  const rendered = new Map<Format, Promise<string>>();
  /** Each format is rendered once. */
  const inFormat = (format: Format): Promise<string> => {
    const known = rendered.get(format) ?? render(report, format, surface);
    rendered.set(format, known);
    return known;
  };

  it.each(FORMATS)(
    '%s holds nothing that moves, hides or reorders, and is well-formed UTF-16',
    async (format: Format) => {
      const out = await inFormat(format);
      expect(INVISIBLE.exec(out)?.[0].codePointAt(0)?.toString(16)).toBeUndefined();
      expect(out.isWellFormed()).toBe(true);
    },
  );

  it.each(FORMATS.filter((name) => name !== 'github'))('%s gives a runner no command', async (format) => {
    expect(commands(await inFormat(format))).toEqual({ now: [], old: [] });
  });

  it('annotations stay annotations of ours, in their places, within the limits', async () => {
    const { now, old } = commands(await inFormat('github'));
    expect(old).toEqual([]);
    for (const { command, properties, message } of now) {
      expect(['error', 'warning', 'notice']).toContain(command);
      expect(
        Object.keys(properties).filter(
          (name) => !['file', 'line', 'endLine', 'col', 'endColumn', 'title'].includes(name),
        ),
      ).toEqual([]);
      expect(properties['title']?.length ?? 0).toBeLessThanOrEqual(255);
      expect(new TextEncoder().encode(message).length).toBeLessThanOrEqual(64 * 1024 + 66_000 * 6);
    }
    expect(now.filter(({ command }) => command === 'error').length).toBeLessThanOrEqual(10);
  });

  it('JSON and NDJSON give the exact text back', async () => {
    const back = JSON.parse(await inFormat('json')) as Report;
    expect(back).toEqual(JSON.parse(JSON.stringify(report)));
    expect(
      reportFaults(JSON.parse(await render(filled(text, 'x/y', '2026-11-30T12:00:00Z'), 'json', surface))),
    ).toBeUndefined();
    const lines = (await inFormat('ndjson')).trimEnd().split('\n');
    expect(lines.length).toBe(4);
    expect((JSON.parse(lines[0] ?? '') as InputReport).claims[0]?.detail).toBe(
      JSON.parse(JSON.stringify(text)) as string,
    );
  });

  it('SARIF is valid, and its messages hold no placeholder and no link', async () => {
    const log = JSON.parse(await inFormat('sarif')) as {
      runs: { results: { message: { text: string } }[] }[];
    };
    expect(sarifFaults(log)).toBeUndefined();
    for (const { message } of log.runs[0]?.results ?? []) {
      const unescaped = message.text
        .replace(/\\[\\[\]]/g, '')
        .replaceAll('{{', '')
        .replaceAll('}}', '');
      expect(unescaped).not.toMatch(/[{}[\]]/);
    }
  });

  it('JUnit is well-formed and valid, and no case is longer than 64 kB', async () => {
    const xml = await inFormat('junit');
    const root = parseXml(xml);
    for (const name of ['failure', 'error', 'skipped'])
      for (const { text: inside } of elements(root, name))
        expect(Buffer.byteLength(inside)).toBeLessThan(64 * 1024 + 100);
    const names = elements(root, 'testcase').map(
      ({ attributes }) => `${attributes['classname']}\n${attributes['name']}`,
    );
    expect(new Set(names).size).toBe(names.length);
    if (hasXmllint) expect(xsdFaults(xml)).toBeUndefined();
  });

  it('the page holds no element and no attribute that is not its own', async () => {
    const html = await inFormat('html');
    expect(html.match(/<script/g)?.length).toBe(2);
    expect(html.match(/<\/script/g)?.length).toBe(2);
    expect(html).not.toMatch(/<(img|a x|!\[CDATA)/i);
    expect(html).not.toMatch(/<[a-z]+[^<>]* on[a-z]+=/i);
    const data = /<script type="application\/json" id="report">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(report)));
  });
});
