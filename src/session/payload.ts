/**
 * The parts of entries that several types share: items, triggers, tools, instruction parts, omitted lists, `omit`, checkpoints
 * (session-format 0.3, 5.3, 5.9, 6.8).
 */
import { ARRAY, type Name, type Node, NULL, NUMBER, name, OBJECT, STRING } from '../json/scan.ts';
import type { Members } from './members.ts';
import type {
  Checkpoint,
  ExtraMember,
  Item,
  Omit,
  OmitImages,
  OmitOutputs,
  Omitted,
  Part,
  Tool,
  Trigger,
} from './model.ts';

const TYPE = name('type');
const ROLE = name('role');
const CALL_ID = name('call_id');
const NAME = name('name');
const ARGUMENTS = name('arguments');
const CONTENT = name('content');
const OUTPUT = name('output');
const INPUT_IMAGE = name('input_image');
const KIND = name('kind');
const REF = name('ref');
const SOURCE = name('source');
const IDENT = name('id');
const TEXT = name('text');
const HASH = name('hash');
const KEEP = name('keep');
const OF = name('of');
const REASON = name('reason');
const SIZE = name('size');
const REASONING = name('reasoning');
const ITEMS = name('items');
const OUTPUTS = name('outputs');
const IMAGES = name('images');
const PLACEHOLDER = name('placeholder');
const BEFORE = name('before');
const MODEL = name('model');
const INSTRUCTIONS = name('instructions');
const INSTRUCTIONS_PARTS = name('instructions_parts');
const INSTRUCTIONS_OMITTED = name('instructions_omitted');
const OMIT = name('omit');
const TOOLS = name('tools');
const EXTRA = name('extra');

/** An item (0.3): its members are the provider's, so none of a wrong type is an error. */
export function readItem(read: Members, node: Node): Item {
  const { scanner } = read;
  const text = (name: Name): string | undefined => {
    const at = scanner.member(node, name);
    return at >= 0 && scanner.kind[at] === STRING ? scanner.text(at) : undefined;
  };
  const type = text(TYPE) ?? '';
  const role = type === 'message' ? text(ROLE) : undefined;
  const isCall = type === 'function_call';
  const isOutput = type === 'function_call_output';
  const callId = isCall || isOutput ? text(CALL_ID) : undefined;
  const callName = isCall ? text(NAME) : undefined;
  const args = isCall ? text(ARGUMENTS) : undefined;
  const item: { -readonly [Key in keyof Item]: Item[Key] } = {
    raw: read.raw(node),
    type,
    images: type === 'message' ? countImages(read, node, CONTENT) : isOutput ? countImages(read, node, OUTPUT) : 0,
  };
  if (role !== undefined) item.role = role;
  if (callId !== undefined) item.callId = callId;
  if (callName !== undefined) item.name = callName;
  if (args !== undefined) item.arguments = args;
  return item;
}

function countImages({ scanner }: Members, item: Node, name: Name): number {
  const parts = scanner.member(item, name);
  if (parts < 0 || scanner.kind[parts] !== ARRAY) return 0;
  let images = 0;
  for (let at = scanner.first(parts); at >= 0; at = scanner.following(parts, at)) {
    if (scanner.kind[at] !== OBJECT) continue;
    const type = scanner.member(at, TYPE);
    if (type >= 0 && scanner.textIs(type, INPUT_IMAGE)) images++;
  }
  return images;
}

/** A trigger whose members, if present, are strings (5.9). */
export function readTrigger(read: Members, node: Node): Trigger {
  const [kind, ref, source] = [read.string(node, KIND), read.string(node, REF), read.string(node, SOURCE)];
  return {
    raw: read.raw(node),
    ...(kind === undefined ? {} : { kind }),
    ...(ref === undefined ? {} : { ref }),
    ...(source === undefined ? {} : { source }),
  };
}

/** A trigger that falls back unless it is an object that can be held exactly (5.6). */
export function readTypedTrigger(read: Members, object: Node, name: Name): Trigger | undefined {
  const { scanner } = read;
  const node = read.row(object, name);
  if (node < 0 || scanner.kind[node] !== OBJECT) return undefined;
  for (const part of [KIND, REF, SOURCE]) {
    const at = scanner.member(node, part);
    if (at >= 0 && scanner.kind[at] !== STRING) return undefined;
  }
  return readTrigger(read, node);
}

export function readTool(read: Members, node: Node): Tool {
  const at = read.scanner.member(node, NAME);
  return {
    raw: read.raw(node),
    name: at >= 0 && read.scanner.kind[at] === STRING ? read.scanner.text(at) : '',
  };
}

export function readPart(read: Members, node: Node): Part {
  const id = read.string(node, IDENT) ?? '';
  const [text, source, hash] = [read.string(node, TEXT), read.string(node, SOURCE), read.string(node, HASH)];
  // Beside an id a keep means nothing (5.3).
  const keep = id === '' ? read.positive(node, KEEP) : undefined;
  return {
    id,
    ...(text === undefined ? {} : { text }),
    ...(source === undefined ? {} : { source }),
    ...(hash === undefined ? {} : { hash }),
    ...(keep === undefined ? {} : { keep }),
  };
}

export function readOmitted(read: Members, node: Node): Omitted {
  const id = read.string(node, IDENT) ?? '';
  read.string(node, REASON);
  read.string(node, SOURCE);
  read.integer(node, SIZE);
  const keep = id === '' ? read.positive(node, KEEP) : undefined;
  const of = keep === undefined ? undefined : read.typedString(node, OF);
  return { raw: read.raw(node), id, ...(keep === undefined ? {} : { keep }), ...(of === undefined ? {} : { of }) };
}

const OMIT_NAMES: ReadonlyMap<string, string> = new Map(['reasoning', 'items', 'outputs', 'images'].map((n) => [n, n]));

/** `omit` (5.3): undefined where it is absent or falls back. */
export function readOmit(read: Members, object: Node): Omit | undefined {
  const { scanner } = read;
  const node = scanner.member(object, OMIT);
  if (node < 0 || scanner.kind[node] !== OBJECT) return undefined;
  for (let at = scanner.first(node); at >= 0; at = scanner.following(node, at)) {
    // One of the four names in another case would clear what is in force, so the whole object falls back.
    const spelled = scanner.name(at);
    if (!OMIT_NAMES.has(spelled) && OMIT_NAMES.has(spelled.toLowerCase())) return undefined;
  }
  const reasoning = read.row(node, REASONING);
  if (reasoning >= 0 && scanner.kind[reasoning] !== STRING) return undefined;
  const itemsRow = read.row(node, ITEMS);
  const items = itemsRow < 0 ? [] : stringsOf(read, itemsRow);
  if (items === undefined) return undefined;
  const outputs = readOutputs(read, scanner.member(node, OUTPUTS));
  const images = readImages(read, scanner.member(node, IMAGES));
  return {
    reasoning: reasoning < 0 ? '' : scanner.text(reasoning),
    items,
    ...(outputs === undefined ? {} : { outputs }),
    ...(images === undefined ? {} : { images }),
    holdsUntyped:
      (outputs === undefined && scanner.member(node, OUTPUTS) >= 0) ||
      (images === undefined && scanner.member(node, IMAGES) >= 0),
  };
}

function stringsOf({ scanner }: Members, array: Node): readonly string[] | undefined {
  if (scanner.kind[array] !== ARRAY) return undefined;
  const values: string[] = [];
  for (let at = scanner.first(array); at >= 0; at = scanner.following(array, at)) {
    if (scanner.kind[at] !== STRING) return undefined;
    values.push(scanner.text(at));
  }
  return values;
}

function stringAt({ scanner }: Members, object: Node, name: Name): string | undefined {
  const node = scanner.member(object, name);
  return node >= 0 && scanner.kind[node] === STRING ? scanner.text(node) : undefined;
}

function readOutputs(read: Members, node: Node): OmitOutputs | undefined {
  if (node < 0 || read.scanner.kind[node] !== OBJECT) return undefined;
  const text = stringAt(read, node, TEXT);
  const row = read.row(node, ITEMS);
  const items = row < 0 ? [] : stringsOf(read, row);
  return text === undefined || items === undefined ? undefined : { text, items };
}

function readImages(read: Members, node: Node): OmitImages | undefined {
  const { scanner } = read;
  if (node < 0 || scanner.kind[node] !== OBJECT) return undefined;
  const placeholder = stringAt(read, node, PLACEHOLDER);
  const keepRow = scanner.member(node, KEEP);
  const beforeRow = scanner.member(node, BEFORE);
  if (placeholder === undefined || keepRow >= 0 === beforeRow >= 0) return undefined;
  if (keepRow >= 0) {
    const keep = scanner.kind[keepRow] === NUMBER ? read.digits(keepRow) : undefined;
    return keep === undefined || keep < 0 ? undefined : { keep, placeholder };
  }
  const before = stringAt(read, node, BEFORE);
  return before === undefined || before === '' ? undefined : { before, placeholder };
}

/** `extra`: every member with its value as recorded. */
export function readExtra(read: Members, object: Node): readonly ExtraMember[] {
  const { scanner } = read;
  const node = read.object(object, EXTRA);
  if (node < 0) return [];
  const members: ExtraMember[] = [];
  for (let at = scanner.first(node); at >= 0; at = scanner.following(node, at))
    members.push({ name: scanner.name(at), value: scanner.kind[at] === NULL ? null : read.raw(at) });
  return members;
}

/** The settings that a compaction carries (6.8). */
export function readCheckpoint(read: Members, node: Node): Checkpoint {
  const none: Checkpoint = { model: '', instructionsParts: [], instructionsOmitted: [], tools: [], extra: [] };
  if (node < 0) return none;
  const instructions = read.string(node, INSTRUCTIONS);
  const [reasoning, text] = [read.rawObject(node, REASONING), read.rawObject(node, TEXT)];
  const omit = readOmit(read, node);
  return {
    model: read.string(node, MODEL) ?? '',
    ...(instructions === undefined ? {} : { instructions }),
    instructionsParts: read.objects(node, INSTRUCTIONS_PARTS, (part) => readPart(read, part)) ?? [],
    instructionsOmitted: readCheckpointOmitted(read, node),
    ...(omit === undefined ? {} : { omit }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(text === undefined ? {} : { text }),
    tools: read.objects(node, TOOLS, (tool) => readTool(read, tool)) ?? [],
    extra: readExtra(read, node),
  };
}

/** Falls back, unlike in a config entry: a list that cannot be held exactly is read as none (6.8). */
function readCheckpointOmitted(read: Members, node: Node): readonly Omitted[] {
  const before = read.problems.length;
  const list = read.objects(node, INSTRUCTIONS_OMITTED, (part) => readOmitted(read, part)) ?? [];
  if (read.problems.length === before) return list;
  read.problems.length = before;
  return [];
}
