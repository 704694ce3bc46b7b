/** The strict shapes of trail documents, exports, journals and routings (notifications 12, audit 0.5). Records stay JSON. */

import {
  bytes as base64Bytes,
  boolean,
  check,
  integer,
  list,
  map,
  nullable,
  object,
  type Shape,
  string,
} from '../json/shape.ts';
import type { JsonNode } from '../json/tree.ts';
import { headShape } from '../log/head.ts';
import type { Instant } from '../time/instant.ts';
import { readTime } from './time.ts';

const node: Shape<JsonNode | null> = { zero: null, read: (value) => value, write: String, isEmpty: (v) => v === null };

/** A list whose elements are judged later, without a place for each. */
const nodes: Shape<readonly JsonNode[] | null> = {
  zero: null,
  read(value, place) {
    if (value.kind === 'array') return value.items;
    place.malformed(value.start, 'expected a list', { expected: 'a list', actual: value.kind });
    return null;
  },
  write: String,
  isEmpty: (value) => value === null,
};

const time: Shape<Instant | null> = {
  zero: null,
  read(value, place) {
    const instant = value.kind === 'string' ? readTime(value.value) : undefined;
    if (instant === undefined)
      place.malformed(value.start, 'expected an RFC 3339 time', { expected: 'a time such as 2026-10-13T09:00:00Z' });
    return instant ?? null;
  },
  write: String,
  isEmpty: (value) => value === null,
};

const maybe: Shape<boolean | null> = {
  zero: null,
  read: (value, place) => boolean.read(value, place),
  write: String,
  isEmpty: (value) => value === null,
};

const journalEventShape = object({
  key: check(string, (key) => (key === '' ? 'the key of an event is not empty' : undefined)),
  kind: check(string, (kind) =>
    ['approval_pending', 'outcome_unknown', 'run_aborted'].includes(kind)
      ? undefined
      : `${JSON.stringify(kind.slice(0, 80))} is not a kind of event that a journal shows`,
  ),
  run_id: string,
  at: time,
  current: boolean,
  approvers: list(string),
  resolved_at: time,
});
export const journalShape = object({
  run_id: string,
  as_of: time,
  complete: boolean,
  run_ended: maybe,
  run_ended_at: time,
  events: list(journalEventShape),
});
export const routingShape = object({
  routes: map(string),
  approver_routes: map(string),
  escalation: map(list(string)),
});
const openShape = object({
  complete: maybe,
  segments: list(object({ name: string, day: string, records: nodes })),
  indexes: list(object({ name: string, year: integer, records: nodes })),
});
const proofShape = object({ index: node, first: node, size: integer, path: list(base64Bytes) });
export const documentShape = object({
  format: string,
  trail: string,
  run_id: string,
  role: string,
  as_of: time,
  records: nodes,
  leaves: list(base64Bytes),
  heads: list(headShape),
  proofs: list(proofShape),
  journal: nullable(journalShape),
  routing: nullable(routingShape),
  settings: map(node),
  deliveries: list(object({ id: string, key: string, kind: string, receiver: string, at: time })),
  open: nullable(openShape),
});
export const exportShape = object({ format: string, trail: string, leaves: list(base64Bytes) });
