/** Questions about what a session's entries mean, answered by the checks of `src/session`. */
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { canonicalizeText } from '../../src/json/canonical.ts';
import { callees, judges } from '../../src/session/callees.ts';
import {
  callArguments,
  callState,
  calls,
  decisions,
  dispatchedArguments,
  dispatchedElsewhere,
  dispatches,
  hasFailed,
  idempotencyKey,
  sessionDispatches,
} from '../../src/session/calls.ts';
import { SessionChecker } from '../../src/session/check.ts';
import { checkpointText } from '../../src/session/checkpoint.ts';
import { buildContext, replay, requestContext } from '../../src/session/context.ts';
import { contextHash } from '../../src/session/contextHash.ts';
import { verifyLinks } from '../../src/session/links.ts';
import { queued } from '../../src/session/queued.ts';
import { sentBytes } from '../../src/session/raw.ts';
import { readSession } from '../../src/session/read.ts';
import { verifyRecords } from '../../src/session/records.ts';
import { requestHash, requestOf, verifyResponse } from '../../src/session/request.ts';
import { computeReason, computeSource, isEmptyRun, pendingOfRun, runs } from '../../src/session/runs.ts';
import type { EntryIndex, Session } from '../../src/session/session.ts';
import { EMPTY_SETTINGS, textHash } from '../../src/session/settings.ts';
import type { Json, Operation } from '../suite.ts';

type Params = Parameters<Operation>[0];

const decoder = new TextDecoder();

function bytesOf({ file_b64, file }: Params): Uint8Array {
  return typeof file === 'string' ? utf8(file) : (unbase64(String(file_b64)) ?? new Uint8Array());
}

function read(params: Params): Session {
  const { session, findings } = readSession(memorySource(bytesOf(params)));
  if (session === undefined) throw new Error(`no session: ${findings[0]?.code}`);
  return session;
}

/** The entry that a case names: by id, by an id from before migration, or the leaf. */
function named(session: Session, entry: Json | undefined): EntryIndex {
  if (typeof entry !== 'string') return session.leaf;
  const found = session.find(entry);
  if (found !== undefined) return found;
  for (let index = 0; index < session.size; index++)
    if (session.usable(index) && session.entry(index).legacyId === entry) return index;
  throw new Error(`no entry ${entry}`);
}

const json = (text: string): Json => JSON.parse(text) as Json;

export const operations: Record<string, Operation> = {
  /** Every response in file order with its verdict, and the codes of findings about requests and records, with their lines. */
  'session/check': (params) => {
    const checker = new SessionChecker();
    const { session } = readSession(memorySource(bytesOf(params)), { visit: checker.visit });
    if (session === undefined) return null;
    const checks = checker.finish(session);
    const responses: Json[] = [];
    for (let index = 0; index < session.size; index++) {
      if (session.kind(index) !== 'response') continue;
      const entry = session.usable(index) ? session.entry(index) : undefined;
      responses.push({
        response_id: entry?.kind === 'response' ? entry.responseId : null,
        outcome: checks.verdicts.get(index) ?? 'unchecked',
        alone: verifyResponse(session, index).outcome,
      });
    }
    const findings = [...checks.recordFindings, ...checks.requestFindings, ...checks.notes];
    return {
      responses,
      findings: findings.map(({ code, where }): Json => `${code} ${where.line ?? ''}`),
      leaves: checks.leaves,
    };
  },
  /** What `verifyRecords` reports at a leaf first, or null. */
  'session/verify-records': (params) => {
    const session = read(params);
    return verifyRecords(session, named(session, params['entry']))[0]?.code ?? null;
  },
  /** The context at an entry, or null when it cannot be built. */
  'session/context': (params) => {
    const session = read(params);
    const built = buildContext(session, session.path(named(session, params['entry'])));
    if (!built.ok) return null;
    const { settings, items, selected, leftOut, replaced } = built.context;
    return {
      settings: json(checkpointText(settings)),
      items: items.map(({ item, edit }) => json(decoder.decode(sentBytes(item.raw, edit)))),
      entries: selected.map((entry) => session.id(entry)),
      item_entries: items.map(({ entry }) => session.id(entry)),
      omitted: leftOut.map(({ entry, reason }) => ({ entry: session.id(entry), reason })),
      replaced: replaced.map(({ entry, rule, images }) => ({ entry: session.id(entry), rule, images })),
    };
  },
  /** The settings in force at an entry: what a checkpoint holds, and parts and omitted elements one by one, unresolved ones included. */
  'session/settings': (params) => {
    const session = read(params);
    let settings = EMPTY_SETTINGS;
    for (const index of session.path(named(session, params['entry'])))
      settings = replay(settings, session.entry(index));
    return {
      checkpoint: json(checkpointText(settings)),
      parts: settings.instructionsParts.map((part) =>
        part.unresolved ? { unresolved: part.keep ?? part.hash ?? part.id } : `${part.id}=${part.text}`,
      ),
      omitted: settings.instructionsOmitted.map(({ id, json: element }) => (id === '' ? json(element) : id)),
    };
  },
  /** Text and hash of the canonical request of a response. */
  'session/request': (params) => {
    const session = read(params);
    const built = requestContext(session, named(session, params['entry']));
    if (!built.ok) return null;
    const request = requestOf(built.context);
    return { request: decoder.decode(request), request_hash: requestHash(request) };
  },
  'session/context-hash': (params) => {
    const session = read(params);
    return contextHash(session, named(session, params['entry']));
  },
  'session/calls': (params) => {
    const session = read(params);
    const path = session.path(named(session, params['entry']));
    const onPath = new Set(path);
    const all = sessionDispatches(session);
    return calls(session, path).map((call) => ({
      call_id: call.callId,
      state: callState(session, call, dispatchedElsewhere(session, call, onPath, all)),
      decisions: decisions(call).map(({ verdict }) => verdict),
      dispatches: dispatches(call).length,
      withdrawn: call.withdrawn.length,
      failed: hasFailed(session, call),
      args: callArguments(session, call),
      dispatched_args: dispatchedArguments(session, call),
      idempotency_key: idempotencyKey(session, call),
    }));
  },
  'session/runs': (params) => {
    const session = read(params);
    return runs(session, session.path(named(session, params['entry']))).map((run) => ({
      run_id: run.runId,
      source: computeSource(session, run),
      reason: run.end === undefined ? null : computeReason(session, run),
      pending: [...pendingOfRun(session, run)],
      empty: isEmptyRun(session, run),
    }));
  },
  /** Lines of queued entries that are open. */
  'session/queued': (params) => {
    const session = read(params);
    return queued(session, session.path(named(session, params['entry']))).map((entry) => session.line(entry));
  },
  'session/callees': (params) => {
    const session = read(params);
    const path = session.path(named(session, params['entry']));
    const line = (entry: EntryIndex | undefined): Json => (entry === undefined ? null : session.line(entry));
    return {
      callees: callees(session, path).map(({ link, dispatch, cancelled, answered }) => ({
        link: line(link),
        dispatch: line(dispatch),
        cancelled,
        answered,
      })),
      judges: judges(session, path).map(line),
    };
  },
  /** Links held against the headers of other sessions, each `{id, parent_session, spawned_by}`. */
  'session/verify-links': (params) => {
    const others = (params['others'] ?? []) as readonly { id: string; parent_session?: string; spawned_by?: string }[];
    const { checked, absent, findings } = verifyLinks(read(params), (id) =>
      others
        .filter((other) => other.id === id)
        .map(({ parent_session, spawned_by }) => ({
          id,
          ...(parent_session === undefined ? {} : { parentSession: parent_session }),
          ...(spawned_by === undefined ? {} : { spawnedBy: spawned_by }),
        })),
    );
    return { checked, absent: [...absent], codes: findings.map(({ code }) => code) };
  },
  'session/text-hash': ({ text }) => textHash(String(text)),
  /** Hash of the canonical form of a JSON text; null if it is none. */
  'session/hash': ({ text }) => {
    const canonical = canonicalizeText(utf8(String(text)));
    return canonical === undefined ? null : requestHash(canonical);
  },
};
