/** Which entries of the original a redacted entry was made from: the member `redacted` (session-format 11.3). */
import type { JsonObject } from '../../json/tree.ts';
import type { RedactedSpan } from '../model.ts';
import { SessionError } from '../write/error.ts';
import { memberOf, nodeOf, objectOf } from '../write/value.ts';

const MEMBER = 'redacted';

/** The body with these spans in the place of any it had. Throws SessionError `bad_redacted`. */
export function setRedacted(body: JsonObject, spans: readonly RedactedSpan[]): JsonObject {
  let last = 0;
  for (const span of spans) {
    const [from, to] = typeof span === 'number' ? [span, span] : span;
    const isGood = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from > last;
    if (!isGood || (typeof span !== 'number' && to <= from))
      throw new SessionError('bad_redacted', 'spans ascend from 1 and do not overlap');
    last = to;
  }
  const value = nodeOf(spans.map((span) => (typeof span === 'number' ? span : [...span])));
  return objectOf([...clearRedacted(body).members, memberOf(MEMBER, value)]);
}

/** The body without the member, in any form: for an entry taken from a redacted session and appended natively. */
export function clearRedacted(body: JsonObject): JsonObject {
  return objectOf(body.members.filter(({ name }) => name !== MEMBER));
}

/** The positions that spans name, one by one. */
export function* positionsOf(spans: readonly RedactedSpan[]): Iterable<number> {
  for (const span of spans) {
    const [from, to] = typeof span === 'number' ? [span, span] : span;
    for (let position = from; position <= to; position++) yield position;
  }
}
