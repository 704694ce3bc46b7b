/** Entries that have no step of their own, as the records that documents hold of them: atif-export 5.5, 6.6, 6.7, 8. */
import type {
  CustomEntry,
  DecisionEntry,
  DispatchEntry,
  Entry,
  EnvEntry,
  InfoEntry,
  LabelEntry,
  LinkEntry,
  OutcomeEntry,
  QueuedEntry,
  RunEntry,
} from '../session/model.ts';
import { type JsonObject, member } from './document.ts';
import { type Draft, Members } from './members.ts';
import { undeclared } from './undeclared.ts';

const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** A record and, beside its own members, the undeclared ones of its entry. */
function record(
  entry: Entry,
  line: JsonObject,
  rows: readonly (readonly [name: string, value: Draft | undefined])[],
): Members {
  const members = Members.of(rows);
  members.copy(undeclared(entry, line), true);
  return members;
}

export function labelRecord(entry: LabelEntry, line: JsonObject): Members {
  const { id, target, label } = entry;
  return record(entry, line, [
    ['target', target],
    ['label', label],
    ['entry_id', id],
  ]);
}

export function infoRecord(entry: InfoEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['entry_id', entry.id],
    ['name', filled(entry.name)],
  ]);
}

export function customRecord(entry: CustomEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['ns', entry.ns],
    ['data', member(line, 'data')],
    ['entry_id', entry.id],
    ['call_id', entry.callId],
  ]);
}

export function environmentRecord(entry: EnvEntry, line: JsonObject): Members {
  const present = ['cwd', 'vcs', 'files', 'tools', 'workspace'].map((name) => {
    const value = member(line, name);
    return [name, value === null ? undefined : value] as const;
  });
  return record(entry, line, [['entry_id', entry.id], ...present]);
}

export function queuedRecord(entry: QueuedEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['entry_id', entry.id],
    ['mode', entry.mode],
    ['item', member(line, 'item')],
    ['trigger', entry.trigger === undefined ? undefined : member(line, 'trigger')],
    ['ref', entry.ref],
  ]);
}

export function decisionRecord(entry: DecisionEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['entry_id', entry.id],
    ['verdict', entry.verdict],
    ['by', filled(entry.by)],
    ['reason', filled(entry.reason)],
    ['args', entry.args === undefined ? undefined : member(line, 'args')],
    ['withdrawn', entry.withdrawn ? true : undefined],
  ]);
}

export function dispatchRecord(entry: DispatchEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['entry_id', entry.id],
    ['idempotency_key', entry.idempotencyKey],
  ]);
}

export function outcomeRecord(entry: OutcomeEntry, line: JsonObject): Members {
  const { id, outcome, target, score, pass, label } = entry;
  return record(entry, line, [
    ['kind', outcome],
    ['entry_id', id],
    ['target', target],
    ['score', score],
    ['pass', pass],
    ['label', label],
    ['details', entry.details === undefined ? undefined : member(line, 'details')],
  ]);
}

export function linkRecord(entry: LinkEntry, line: JsonObject): Members {
  const { id, rel, session, callId, target, url, task, context, cancel } = entry;
  return record(entry, line, [
    ['entry_id', id],
    ['rel', rel],
    ['session', session],
    ['call_id', callId],
    ['target', target],
    ['url', url],
    ['task', task],
    ['context', context],
    ['cancel', cancel ? 'sent' : undefined],
  ]);
}

export function runStartRecord(entry: RunEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['run_id', entry.runId],
    ['source', entry.source],
    ['start_entry_id', entry.id],
    ['trigger', filled(entry.ref)],
    ['trigger_parts', entry.trigger === undefined ? undefined : member(line, 'trigger')],
  ]);
}

/** The members that a run's end adds to the record of its start. */
export function runEndRecord(entry: RunEntry, line: JsonObject): Members {
  return record(entry, line, [
    ['reason', entry.reason],
    ['end_entry_id', entry.id],
    ['cause', filled(entry.ref)],
    ['pending', entry.pending],
  ]);
}
