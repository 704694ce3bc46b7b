/** Readers of the formats that are not ours: JSON Schemas, an XML parser, and the grammar of workflow commands as a runner reads it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft4 from 'ajv-draft-04';
import formats from 'ajv-formats';
import { SaxesParser } from 'saxes';

const json = (path: string | URL): object => JSON.parse(readFileSync(path, 'utf8')) as object;

/** A faulty part of a document, or undefined. */
const judge =
  (validate: ValidateFunction) =>
  (value: unknown): string | undefined => {
    if (validate(value)) return undefined;
    return JSON.stringify(validate.errors?.slice(0, 3));
  };

export const reportFaults = judge(
  new Ajv2020({ strict: false }).compile(json(new URL('../../schemas/report.schema.json', import.meta.url))),
);

/** The schema that OASIS published, as packed by somebody else. */
const ajv4 = new draft4.default({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv4);
export const sarifFaults = judge(
  ajv4.compile(
    json(
      createRequire(import.meta.url)
        .resolve('@microsoft/jest-sarif')
        .replace(/lib.*$/, 'lib/schemas/sarif-2.1.0-rtm.5.json'),
    ),
  ),
);

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** A document as a strict XML 1.0 parser reads it. Throws where it is not well-formed. */
export function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const stack = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('a DOCTYPE');
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    (stack.at(-1) as Element).children.push(element);
    stack.push(element);
  });
  parser.on('text', (text) => {
    (stack.at(-1) as Element).text += text;
  });
  parser.on('closetag', () => {
    stack.pop();
  });
  parser.write(xml).close();
  return root.children[0] as Element;
}

/** All elements of a name below one. */
export function elements(root: Element, name: string): Element[] {
  const found: Element[] = [];
  const stack = [root];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.name === name) found.push(at);
    stack.push(...at.children.toReversed());
  }
  return found;
}

export const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

/** What xmllint says against a document by the schema beside this file. */
export function xsdFaults(xml: string): string | undefined {
  const schema = fileURLToPath(new URL('junit.xsd', import.meta.url));
  const run = spawnSync('xmllint', ['--noout', '--schema', schema, '-'], { input: xml, encoding: 'utf8' });
  return run.status === 0 ? undefined : run.stderr.slice(0, 600);
}

export interface Command {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** Commands in a log, as the runner finds them: `::name k=v,k=v::message` at the start of a trimmed line, `##[name k=v;]message` anywhere. */
export function commands(log: string): { readonly now: readonly Command[]; readonly old: readonly string[] } {
  const now: Command[] = [];
  const old: string[] = [];
  for (const line of log.split(/\r\n|\r|\n/)) {
    const trimmed = line.trimStart();
    const end = trimmed.indexOf('::', 2);
    if (trimmed.startsWith('::') && end > 0) {
      const [command = '', ...rest] = trimmed.slice(2, end).split(' ');
      const properties = Object.fromEntries(
        rest
          .join(' ')
          .split(',')
          .filter((pair) => pair !== '')
          .map((pair) => [pair.slice(0, pair.indexOf('=')), unescaped(pair.slice(pair.indexOf('=') + 1))]),
      );
      now.push({ command, properties, message: unescaped(trimmed.slice(end + 2)) });
    } else if (/##\w*\[/.test(line)) old.push(line);
  }
  return { now, old };
}

function unescaped(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}
