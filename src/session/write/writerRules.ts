/** What a writer refuses to write that a reader would accept, by the type of the entry. Session-format 4.3, 4.8. */
import type { JsonNode, JsonObject } from '../../json/tree.ts';
import type { UnknownValue } from '../entry.ts';
import type { Entry } from '../model.ts';
import { PART_SEPARATOR } from '../settings.ts';
import { SessionError } from './error.ts';
import { memberNamed, textMember } from './value.ts';

/** Throws SessionError `reserved_member` where a body carries a name of the envelope. */
export function checkReserved(body: JsonObject): void {
  for (const { name } of body.members)
    if (isReserved(name))
      throw new SessionError('reserved_member', `the body of an entry has no member ${JSON.stringify(name)}`);
}

function isReserved(name: string): boolean {
  // By its length first: names that were read are compared letter by letter.
  switch (name.length) {
    case 2:
      return name === 'id' || name === 'ts';
    case 4:
      return name === 'type';
    case 6:
      return name === 'parent';
    case 7:
      return name === 'parents' || name === 'content';
    default:
      return false;
  }
}

/** Throws SessionError `bad_entry` for a form that is not written. */
export function checkWritten(entry: Entry, body: JsonObject, unknown: readonly UnknownValue[]): void {
  const [outside] = unknown;
  if (outside !== undefined)
    throw refuse(
      `"${outside.member}" is ${JSON.stringify(outside.value.slice(0, 40))}, which the format does not list`,
    );
  if (entry.kind === 'item' && entry.item.type === 'item_reference')
    throw refuse('an item_reference is not written: the item itself is carried');
  if (entry.kind === 'response') {
    const attempts = memberNamed(body, 'attempts');
    if (attempts?.kind === 'number' && attempts.text.startsWith('-')) throw refuse('"attempts" is negative');
  }
  if (entry.kind === 'config') checkConfig(body, entry.replace);
  if (
    entry.kind === 'label' &&
    entry.target === null &&
    entry.label !== 'leaf' &&
    memberNamed(body, 'target') !== undefined
  )
    throw refuse('only a leaf label names the universal root');
}

function refuse(message: string): SessionError {
  return new SessionError('bad_entry', message);
}

function checkConfig(body: JsonObject, replace: boolean): void {
  const instructions = textMember(body, 'instructions');
  const parts = memberNamed(body, 'instructions_parts');
  if (parts?.kind === 'array') checkParts(objects(parts.items), instructions, replace);
  const omitted = memberNamed(body, 'instructions_omitted');
  if (omitted?.kind === 'array') checkOmitted(objects(omitted.items), replace);
  const omit = memberNamed(body, 'omit');
  if (omit?.kind !== 'object') return;
  const outputs = memberNamed(omit, 'outputs');
  checkIds(memberNamed(omit, 'items'), 'omit.items');
  if (outputs?.kind === 'object') checkIds(memberNamed(outputs, 'items'), 'omit.outputs.items');
}

function objects(items: readonly JsonNode[]): readonly JsonObject[] {
  return items.filter((item): item is JsonObject => item.kind === 'object');
}

function checkIds(list: JsonNode | undefined, what: string): void {
  if (list?.kind === 'array' && list.items.some((item) => item.kind === 'string' && item.value === ''))
    throw refuse(`${what} holds an empty id`);
}

const POSITIVE = /^[1-9][0-9]*$/;

/** Whether an element without an id is a keep; a negative one is refused. */
function isKeep(element: JsonObject, where: string): boolean {
  const keep = memberNamed(element, 'keep');
  if (keep?.kind === 'number' && keep.text.startsWith('-')) throw refuse(`a keep of ${where} is negative`);
  return keep?.kind === 'number' && POSITIVE.test(keep.text);
}

function checkParts(parts: readonly JsonObject[], instructions: string | undefined, replace: boolean): void {
  const where = 'instructions_parts';
  const ids = new Set<string>();
  const texts: string[] = [];
  let whole = true;
  for (const part of parts) {
    const id = textMember(part, 'id') ?? '';
    const keeps = isKeep(part, where);
    if (id === '') {
      if (!keeps) throw refuse(`an element of ${where} has neither an id nor a keep`);
      if (part.members.length > 1) throw refuse(`a keep of ${where} stands beside another member`);
      whole = false;
      continue;
    }
    if (ids.has(id)) throw refuse(`${where} names ${JSON.stringify(id)} twice`);
    ids.add(id);
    const text = textMember(part, 'text') ?? '';
    if (text === '' && textMember(part, 'hash') !== undefined) whole = false;
    texts.push(text);
  }
  if (parts.length === 0) return;
  if (whole && instructions !== undefined && instructions !== texts.join(PART_SEPARATOR))
    throw refuse('the instructions beside their parts are not the texts joined by an empty line');
  if (replace && !whole && instructions === undefined)
    throw refuse(`after a replace nothing is in force that a hash or keep of ${where} could name`);
}

function checkOmitted(elements: readonly JsonObject[], replace: boolean): void {
  const where = 'instructions_omitted';
  const ids = new Set<string>();
  let twice = false;
  let keeps = false;
  for (const element of elements) {
    const id = textMember(element, 'id') ?? '';
    const isKept = isKeep(element, where);
    if (id === '') {
      if (!isKept) throw refuse(`an element of ${where} has neither an id nor a keep`);
      if (element.members.some(({ name }) => name !== 'keep' && name !== 'of'))
        throw refuse(`a keep of ${where} stands beside another member than "of"`);
      keeps = true;
      continue;
    }
    twice ||= ids.has(id);
    ids.add(id);
  }
  if (keeps && (twice || replace))
    throw refuse(`a keep of ${where} stands ${replace ? 'in a replace' : 'beside an id that is named twice'}`);
}
