/** The way back from a document that carries raw items: atif-export 11.1. */
import { type AtifDocument, isArray, isObject, type Json, type JsonObject, member, textMember } from './document.ts';

export interface RawItem {
  /** Position of the step from 1. */
  readonly step: number;
  /** Place of the value in the document. */
  readonly pointer: string;
  readonly value: Json;
  /** The extra that lists what was omitted or replaced; null where nothing of it is about this value. */
  readonly extra: Json;
  /** Id of the entry that recorded it, where `extra` lists several items; undefined where it is about this one alone. */
  readonly entryId: string | undefined;
}

/** Every raw value of a document in the order of 11.1, whatever it is. */
export function* rawItems({ steps }: AtifDocument): Generator<RawItem> {
  for (const [i, { extra = null, observation }] of steps.entries()) {
    const at = `/steps/${i}`;
    yield* inExtra(i + 1, `${at}/extra`, extra);
    for (const [k, result] of (observation?.results ?? []).entries()) {
      const pointer = `${at}/observation/results/${k}/extra`;
      const item = member(member(result.extra ?? null, 'openresponses'), 'item');
      if (item !== undefined)
        yield {
          step: i + 1,
          pointer: `${pointer}/openresponses/item`,
          value: item,
          entryId: undefined,
          extra: result.extra ?? null,
        };
    }
  }
}

function* inExtra(step: number, at: string, extra: Json): Generator<RawItem> {
  const raw = member(extra, 'openresponses');
  const pointer = `${at}/openresponses`;
  const item = member(raw, 'item');
  if (item !== undefined) yield { step, pointer: `${pointer}/item`, value: item, entryId: undefined, extra };
  for (const [i, value] of list(raw, 'pinned'))
    yield { step, pointer: `${pointer}/pinned/${i}`, value, entryId: undefined, extra: null };
  const ids = member(extra, 'item_entry_ids');
  for (const [i, value] of list(raw, 'items')) {
    const id = isArray(ids) ? ids[i] : undefined;
    yield { step, pointer: `${pointer}/items/${i}`, value, entryId: typeof id === 'string' ? id : '', extra };
  }
}

function list(owner: Json | undefined, name: string): Iterable<[number, Json]> {
  const value = member(owner, name);
  return isArray(value) ? value.entries() : [];
}

export type ItemsResult =
  | { readonly ok: true; readonly items: readonly JsonObject[] }
  | { readonly ok: false; readonly problem: 'no-raw-items' | 'bad-item'; readonly message: string };

/**
 * The items of the path's context: what was omitted is left out, what was replaced has its placeholder.
 *
 * @param includeOmitted every item as it was recorded.
 */
export function items(document: AtifDocument, { includeOmitted = false } = {}): ItemsResult {
  const found: JsonObject[] = [];
  let met = false;
  for (const { step, value, entryId, extra } of rawItems(document)) {
    met = true;
    if (!isObject(value))
      return { ok: false, problem: 'bad-item', message: `step ${step}: a raw item is not an object` };
    if (includeOmitted) found.push(value);
    else {
      const sent = asSent(value, entryId, extra);
      if (sent !== undefined) found.push(sent);
    }
  }
  return met
    ? { ok: true, items: found }
    : { ok: false, problem: 'no-raw-items', message: 'the document carries no raw items' };
}

/** The item as the request carried it; undefined when it was left out. */
function asSent(item: JsonObject, entryId: string | undefined, extra: Json): JsonObject | undefined {
  const isOurs = ([, row]: [number, Json]): boolean => entryId === undefined || textMember(row, 'entry_id') === entryId;
  if ([...list(extra, 'omitted')].some(isOurs)) return undefined;
  const rows = [...list(extra, 'replaced')].filter(isOurs).map(([, row]) => row);
  const outputs = rows.find((row) => textMember(row, 'reason') === 'outputs');
  if (outputs !== undefined) return { ...item, output: textMember(outputs, 'placeholder') ?? '' };
  const images = rows.find((row) => textMember(row, 'reason') === 'images');
  if (images === undefined) return item;
  const name = textMember(item, 'type') === 'message' ? 'content' : 'output';
  const parts = member(item, name);
  if (!isArray(parts)) return item;
  let left = Number(member(images, 'parts') ?? 0);
  const text = textMember(images, 'placeholder') ?? '';
  return {
    ...item,
    [name]: parts.map((part) => {
      if (left <= 0 || textMember(part, 'type') !== 'input_image') return part;
      left--;
      return { type: 'input_text', text };
    }),
  };
}
