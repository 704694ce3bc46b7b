/** Reports read back from files, for other formats later and for joining. Held against the published schema before anything trusts them. */
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { decodeUtf8 } from '../src/bytes/encoding.ts';
import { Unreadable } from '../src/host/files.ts';
import { disagreement } from '../src/verify/agreement.ts';
import type { Report } from '../src/verify/report.ts';
import type { Io } from './command.ts';
import { packageFolder } from './package.ts';

/** Reads a JSON report. Throws Unreadable for anything that is not one. */
export function readReport(path: string, io: Io): Report {
  const text = decodeUtf8(io.read(path));
  if (text === undefined) throw new Unreadable(`${path}: it is not UTF-8 text`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unreadable(`${path}: it is not one JSON text`);
  }
  checkReport(path, value, io);
  const why = disagreement(value, value.inputs);
  if (why !== undefined) throw new Unreadable(`${path}: the report does not agree with itself: ${why}`);
  return value;
}

function checkReport(path: string, value: unknown, io: Io): asserts value is Report {
  const schema = decodeUtf8(io.read(fileURLToPath(new URL('schemas/report.schema.json', packageFolder())))) ?? '';
  const validate = new Ajv2020({ allErrors: false, strict: false }).compile(JSON.parse(schema));
  if (validate(value)) return;
  const [error] = validate.errors ?? [];
  throw new Unreadable(
    `${path}: it is no audit.report.v1: ${error?.instancePath || 'the document'} ${error?.message ?? ''}`,
  );
}
