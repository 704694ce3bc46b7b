/** Questions about run journals, answered by `src/journal`. */
import { base64, decodeUtf8, hex, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { decodeRecord, readStored } from '../../src/journal/decode.ts';
import { linearHead, promptDigest, toolsDigest, transcriptDigest } from '../../src/journal/digests.ts';
import { compactRaw, encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport, formatFindings, readEntries, readExport } from '../../src/journal/export.ts';
import { eventSalt, leafHash, recordLeafHash } from '../../src/journal/leaf.ts';
import { attempts, HEADER_FORMAT, parseNodeKey } from '../../src/journal/names.ts';
import { notifyEvents } from '../../src/journal/notify-events.ts';
import { encodePolicy, type PolicyShape } from '../../src/journal/policy.ts';
import { eventLeafData, isProjectable, projectEvents } from '../../src/journal/project.ts';
import { EMPTY_RECORD, type JournalRecord, type Message, type Part, type Usage } from '../../src/journal/record.ts';
import { haltsOf, replay, statusOf } from '../../src/journal/replay.ts';
import { recordRules, sequenceRules } from '../../src/journal/rules.ts';
import {
  encodeId,
  isEncodedId,
  isRootRunId,
  isSessionRun,
  isSubRun,
  rootRunId,
  subRunId,
} from '../../src/journal/run-id.ts';
import { standingOf } from '../../src/journal/show.ts';
import { decodeEachByte, quote, quoteBytes, quoteHtml } from '../../src/journal/text.ts';
import { parseTimestamp } from '../../src/journal/timestamp.ts';
import type { Json, Operation } from '../suite.ts';

type Params = Parameters<Operation>[0];

const text = (params: Params, name: string): string => String(params[name] ?? '');
const bytesOf = (value: Json | undefined): Uint8Array => unbase64(String(value ?? '')) ?? utf8('');
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const object = (value: Json | undefined): { readonly [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as { readonly [name: string]: Json })
    : {};
/** Text that may come as bytes which are not UTF-8. */
const loose = (of: { readonly [name: string]: Json }, name: string): string =>
  of[`${name}_b64`] === undefined ? String(of[name] ?? '') : decodeEachByte(bytesOf(of[`${name}_b64`]));

const STRINGS = {
  name: 'name',
  kind: 'kind',
  finish: 'finish',
  raw_finish: 'rawFinish',
  prompt_digest: 'promptDigest',
  tools_digest: 'toolsDigest',
  tool_use_id: 'toolUseId',
  approver: 'approver',
  approver_alg: 'approverAlg',
  decided_at: 'decidedAt',
  recorded_at: 'recordedAt',
  format: 'format',
  claim: 'claim',
} as const;
const BYTES = { result: 'result', evidence: 'evidence', signature: 'signature', salt: 'salt' } as const;
const FLAGS = {
  is_error: 'isError',
  approved: 'approved',
  reconciled: 'reconciled',
  outcome_unknown: 'outcomeUnknown',
} as const;

/** A record from JSON: texts and bytes in base64 under `<member>_b64`. */
function recordOf(given: { readonly [name: string]: Json }): JournalRecord {
  const record: { -readonly [Key in keyof JournalRecord]: JournalRecord[Key] } = { ...EMPTY_RECORD };
  for (const [name, slot] of Object.entries(STRINGS)) record[slot] = loose(given, name);
  for (const [name, slot] of Object.entries(BYTES)) {
    if (given[`${name}_b64`] !== undefined) record[slot] = bytesOf(given[`${name}_b64`]);
  }
  for (const [name, slot] of Object.entries(FLAGS)) record[slot] = given[name] === true;
  if (given['attempted_at'] !== undefined) record.attemptedAt = BigInt(String(given['attempted_at']));
  if (given['message'] !== undefined) record.message = messageOf(object(given['message']));
  if (given['usage'] !== undefined) record.usage = usageOf(object(given['usage']));
  if (given['discarded_usage'] !== undefined) record.discardedUsage = usageOf(object(given['discarded_usage']));
  if (given['model'] !== undefined) {
    const model = object(given['model']);
    record.model = {
      provider: loose(model, 'provider'),
      model: loose(model, 'model'),
      responseFormat: model['response_format'] === true,
    };
  }
  if (given['safety'] !== undefined) {
    const safety = object(given['safety']);
    record.safety = { readOnly: safety['read_only'] === true, idempotent: safety['idempotent'] === true };
  }
  if (given['approval'] !== undefined) record.approval = encodePolicy(policyOf(object(given['approval'])));
  return record;
}

function policyOf(given: { readonly [name: string]: Json }): PolicyShape {
  if (given['single'] === true) return { single: true };
  return {
    need: Number(given['need'] ?? 0),
    approvers:
      given['approvers_b64'] === undefined
        ? list(given['approvers']).map(String)
        : list(given['approvers_b64']).map((id) => decodeEachByte(bytesOf(id))),
    excludePrincipal: given['exclude_principal'] === true,
  };
}

function usageOf(given: { readonly [name: string]: Json }): Usage {
  return {
    inputTokens: Number(given['input_tokens'] ?? 0),
    outputTokens: Number(given['output_tokens'] ?? 0),
    cacheReadTokens: Number(given['cache_read_tokens'] ?? 0),
    cacheWriteTokens: Number(given['cache_write_tokens'] ?? 0),
  };
}

function messageOf(given: { readonly [name: string]: Json }): Message {
  return { role: loose(given, 'role'), parts: list(given['parts']).map((part) => partOf(object(part))) };
}

function partOf(given: { readonly [name: string]: Json }): Part {
  const raw = (name: string) => (given[`${name}_b64`] === undefined ? undefined : bytesOf(given[`${name}_b64`]));
  const of = (name: string) => loose(given, name);
  switch (given['type']) {
    case 'reasoning':
      return { type: 'reasoning', text: of('text'), signature: of('signature'), redacted: of('redacted') };
    case 'tool_use':
      return { type: 'tool_use', id: of('id'), name: of('name'), args: raw('args'), signature: of('signature') };
    case 'tool_result':
      return {
        type: 'tool_result',
        toolUseId: of('tool_use_id'),
        result: raw('result'),
        isError: given['is_error'] === true,
      };
    case 'image':
      return { type: 'image', mime: of('mime'), url: of('url'), data: raw('data') };
    default:
      return { type: 'text', text: of('text') };
  }
}

/** Entries of a journal: `[{data_b64}]` or `[{data}]`, each perhaps with the name that its store keeps it under. */
function journalOf(params: Params) {
  const entries = list(params['records']).map((entry) => {
    const of = object(entry);
    const data = of['data_b64'] === undefined ? utf8(String(of['data'] ?? entry)) : bytesOf(of['data_b64']);
    return of['name'] === undefined ? { data } : { data, name: String(of['name']) };
  });
  return readEntries(text(params, 'run'), entries);
}

const codesOf = (findings: readonly { readonly code: string }[]) =>
  [...new Set(findings.map(({ code }) => code))].sort();

function judgement(reading: ReturnType<typeof readExport>): Json {
  const { journal } = reading;
  if (journal === undefined) return { readable: false, codes: codesOf(reading.findings) };
  const run = replay(journal);
  const format = formatFindings(journal);
  const findings = [...format, ...recordRules(run), ...(format.length > 0 ? [] : sequenceRules(run))];
  const { status, terminal, endedAt, records } = statusOf(run);
  return {
    readable: true,
    codes: codesOf(findings),
    status,
    terminal,
    ended_at: endedAt,
    records,
    answer: standingOf(run).answer,
    halts: haltsOf(run).map(({ effect, attempt }) => ({
      kind: effect.kind,
      op: effect.op,
      at_ms: String(attempt.stored.record.attemptedAt),
    })),
    events: notifyEvents(run).map((event) => ({
      key: event.key,
      kind: event.kind,
      at: event.at ?? null,
      current: event.current,
      resolved_at: event.resolvedAt ?? null,
    })),
  };
}

export const operations: Readonly<Record<string, Operation>> = {
  'journal/encode-record': (params) => base64(encodeRecord(recordOf(object(params['record'])))),
  /** Decodes stored bytes and writes them again. */
  'journal/decode-record': (params) => {
    const bytes = bytesOf(params['data_b64']);
    const decoded = decodeRecord(bytes);
    if (!decoded.ok) return { problem: decoded.problem.kind };
    return {
      name: decoded.record.name,
      kind: decoded.record.kind,
      again_b64: base64(encodeRecord(decoded.record)),
      canonical: decoded.deviation === undefined,
      problem: decoded.twoWays?.kind ?? null,
      unknown: [...decoded.unknown],
    };
  },
  /** Whether stored bytes are a record that reads one way, a tombstone, or malformed. */
  'journal/read-stored': (params) => {
    const read = readStored(bytesOf(params['data_b64']), 0);
    if (!read.ok) return { class: 'malformed' };
    return {
      class: read.stored.tombstone === undefined ? 'record' : 'tombstone',
      salt_length: read.stored.record?.salt?.length ?? 0,
    };
  },
  'journal/leaf-hash': (params) => {
    const hash = recordLeafHash(bytesOf(params['data_b64']));
    return hash === undefined ? null : hex(hash);
  },
  'journal/linear-head': (params) => hex(linearHead(list(params['records_b64']).map(bytesOf))),
  'journal/compact-raw': (params) => base64(compactRaw(bytesOf(params['in_b64']))),
  'journal/quote': (params) =>
    base64(
      params['in_b64'] === undefined
        ? utf8((params['mode'] === 'marshal' ? quoteHtml : quote)(text(params, 'text')))
        : quoteBytes(bytesOf(params['in_b64'])),
    ),
  'journal/encode-policy': (params) => decodeUtf8(encodePolicy(policyOf(object(params['policy'])))) ?? '',
  'journal/encode-id': (params) => encodeId(text(params, 'id')),
  'journal/is-encoded-id': (params) => isEncodedId(text(params, 'text')),
  'journal/node-key': (params) => {
    const parsed = parseNodeKey(text(params, 'key'));
    return parsed === undefined ? null : { node: parsed.node, step: parsed.step ?? null };
  },
  'journal/attempt-key': (params) => attempts.key(text(params, 'base'), Number(params['number'])),
  'journal/run-id': (params) => {
    const id = text(params, 'id');
    return {
      valid_root: isRootRunId(id),
      is_sub_run: isSubRun(id),
      is_session_run: isSessionRun(id),
      root: rootRunId(id),
    };
  },
  'journal/sub-run-id': (params) => subRunId(text(params, 'parent'), text(params, 'tool_use_id')),
  'journal/canonical-timestamp': (params) => parseTimestamp(text(params, 'text')) !== undefined,
  'journal/prompt-digest': (params) => promptDigest(list(params['system_messages']).map(String)),
  'journal/tools-digest': (params) =>
    toolsDigest(
      list(params['tools']).map((tool) => {
        const { name, description, schema } = object(tool);
        return { name: String(name), description: String(description), schema: utf8(String(schema)) };
      }),
    ),
  'journal/transcript-digest': (params) =>
    transcriptDigest(text(params, 'before'), text(params, 'run'), text(params, 'claim')),
  'journal/header-format': (params) => {
    const { journal } = readEntries('r', [{ data: utf8(text(params, 'data')) }]);
    return { format: journal?.format ?? null, supported: journal?.format === HEADER_FORMAT };
  },
  'journal/judge': (params) => judgement(journalOf(params)),
  'journal/codes': (params) => object(judgement(journalOf(params)))['codes'] ?? null,
  'journal/judge-export': (params) => judgement(readExport(bytesOf(params['export_b64']))),
  'journal/export-round-trip': (params) => {
    const { journal } = readExport(bytesOf(params['export_b64']));
    return journal === undefined
      ? null
      : base64(
          encodeExport(
            journal.run,
            journal.records.map(({ bytes }) => bytes),
          ),
        );
  },
  'journal/events': (params) => {
    const { journal } = readExport(bytesOf(params['export_b64']));
    if (journal === undefined || !isProjectable(journal)) return null;
    return projectEvents(journal).map(({ kind, position, json }) => {
      const salt = eventSalt(journal.records[position]?.record?.salt ?? new Uint8Array(0));
      return {
        kind,
        source_record: position,
        salt: hex(salt),
        leaf_hash: hex(leafHash(eventLeafData(kind, json, salt))),
      };
    });
  },
};
