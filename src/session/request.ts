/**
 * The canonical request behind a response and its hash. Session-format 7.5 and 7.6, openresponses 5 and 9.
 */
import { concat, hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { type BadContext, type Context, requestContext } from './context.ts';
import { sentBytes } from './raw.ts';
import type { EntryIndex, Session } from './session.ts';
import { isEmptyObject, omitsNothing, type Settings } from './settings.ts';

/** A canonical request without its items: they stand between `head` and `tail`, separated by commas. */
export interface RequestFrame {
  readonly head: string;
  readonly tail: string;
}

/** Members of the request other than `input`: wire name to canonical text. */
function members(settings: Settings): Map<string, string> {
  const object = new Map(settings.extra);
  object.delete('previous_response_id');
  if (settings.model !== '') object.set('model', JSON.stringify(settings.model));
  if (settings.instructions !== '') object.set('instructions', JSON.stringify(settings.instructions));
  if (settings.reasoning !== undefined && !isEmptyObject(settings.reasoning))
    object.set('reasoning', settings.reasoning);
  if (settings.text !== undefined && !isEmptyObject(settings.text)) object.set('text', settings.text);
  if (settings.tools.length > 0) object.set('tools', `[${settings.tools.map(({ json }) => json).join(',')}]`);
  object.set('store', 'false');
  return object;
}

/** The frame of a request that has items. */
export function requestFrame(settings: Settings): RequestFrame {
  const object = members(settings);
  object.delete('input');
  const spelled = [...object.keys()]
    .sort()
    .map((name) => [name, `${JSON.stringify(name)}:${object.get(name)}`] as const);
  const before = spelled.filter(([name]) => name < 'input').map(([, text]) => `${text},`);
  const after = spelled.filter(([name]) => name > 'input').map(([, text]) => `,${text}`);
  return { head: `{${before.join('')}"input":[`, tail: `]${after.join('')}}` };
}

/** The whole canonical request of a context without items. */
export function requestWithoutItems(settings: Settings): string {
  const object = members(settings);
  const spelled = [...object.keys()].sort().map((name) => `${JSON.stringify(name)}:${object.get(name)}`);
  return `{${spelled.join(',')}}`;
}

/** Canonical bytes of the request over these settings and items, each item canonical already. */
export function canonicalRequest(settings: Settings, items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return utf8(requestWithoutItems(settings));
  const { head, tail } = requestFrame(settings);
  const comma = utf8(',');
  return concat(utf8(head), ...items.flatMap((item, i) => (i === 0 ? [item] : [comma, item])), utf8(tail));
}

/** Canonical bytes of the request that a context gives. */
export function requestOf(context: Context): Uint8Array {
  return canonicalRequest(
    context.settings,
    context.items.map(({ item, edit }) => sentBytes(item.raw, edit)),
  );
}

/** `sha256:` and the hash of canonical request bytes. */
export function requestHash(request: Uint8Array): string {
  return `sha256:${hex(sha256(request))}`;
}

/** What checking the hash of a response gave (7.6). */
export type ResponseVerdict =
  | { readonly outcome: 'verified' }
  /** It recorded no hash: neither verified nor a mismatch. */
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'mismatch'; readonly recorded: string; readonly rebuilt: string }
  /** The recorded hash is the one of the request without the omit in force. */
  | { readonly outcome: 'divergence'; readonly recorded: string; readonly rebuilt: string }
  | { readonly outcome: 'bad-context'; readonly problem: BadContext }
  /** An entry on its path cannot be used, so that its request is not known. */
  | { readonly outcome: 'unchecked' };

/** Session-format 7.6, for one response: builds its request from the path alone. */
export function verifyResponse(session: Session, response: EntryIndex): ResponseVerdict {
  if (!session.pathUsable(response)) return { outcome: 'unchecked' };
  // 1
  const built = requestContext(session, response);
  if (!built.ok) return { outcome: 'bad-context', problem: built.problem };
  // 2
  const entry = session.entry(response);
  if (entry.kind !== 'response' || entry.requestHash === undefined) return { outcome: 'absent' };
  // 3
  const recorded = entry.requestHash;
  const rebuilt = requestHash(requestOf(built.context));
  if (rebuilt === recorded) return { outcome: 'verified' };
  // 4
  if (!omitsNothing(built.context.settings.omit)) {
    const plain = requestContext(session, response, false);
    if (plain.ok && requestHash(requestOf(plain.context)) === recorded)
      return { outcome: 'divergence', recorded, rebuilt };
  }
  return { outcome: 'mismatch', recorded, rebuilt };
}
