/** Events that a journal projects, and their leaves (journal 4.10, audit spec 1.5). */
import { base64, concat, utf8 } from '../bytes/encoding.ts';
import { compactRaw, encodeMessage } from './encode.ts';
import { EVENT_LEAF_TAG } from './leaf.ts';
import type { Journal, JournalRecord } from './record.ts';
import { quoteHtml } from './text.ts';

export interface ProjectedEvent {
  readonly kind: 'assistant_turn' | 'tool_completed';
  /** Position of the record that the event comes from. */
  readonly position: number;
  /** JSON of the event in MARSHAL mode. */
  readonly json: Uint8Array;
}

const NULL = utf8('null');

/**
 * Projects a journal in its order: a model record with a message is a turn, a tool_result a completed call; nothing else is projected.
 * The journal must hold no tombstone (audit spec 1.3 rule 5): that is for the caller to refuse, `isProjectable` tells.
 */
export function projectEvents(journal: Journal): readonly ProjectedEvent[] {
  const names = new Map<string, string>();
  const events: ProjectedEvent[] = [];
  for (const { record, position } of journal.records) {
    if (record?.kind === 'model' && record.message !== undefined) {
      for (const part of record.message.parts)
        if (part.type === 'tool_use' && !names.has(part.id)) names.set(part.id, part.name);
      const json = concat(utf8('{"message":'), encodeMessage(record.message, 'marshal'), utf8(',"replayed":true}'));
      events.push({ kind: 'assistant_turn', position, json });
    } else if (record?.kind === 'tool_result') {
      events.push({ kind: 'tool_completed', position, json: completed(record, names.get(record.toolUseId) ?? '') });
    }
  }
  return events;
}

function completed(record: JournalRecord, name: string): Uint8Array {
  return concat(
    utf8(`{"tool_use_id":${quoteHtml(record.toolUseId)},"name":${quoteHtml(name)},"result":`),
    record.result === undefined ? NULL : compactRaw(record.result, 'marshal'),
    utf8(`,"is_error":${record.isError}}`),
  );
}

/** Whether anything may be projected from a journal at all: no tombstone in it, and every projected record salted. */
export function isProjectable(journal: Journal): boolean {
  return journal.records.every(({ record }) => record?.salt?.length === 32);
}

/** Tag and content of an event's leaf. */
export function eventLeafData(kind: string, json: Uint8Array, salt: Uint8Array): Uint8Array {
  return concat(EVENT_LEAF_TAG, utf8(`{"kind":${quoteHtml(kind)},"event":`), json, utf8(`,"salt":"${base64(salt)}"}`));
}
