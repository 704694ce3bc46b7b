/** Content of messages, outputs and reasoning as a document shows it: atif-export 5.4 (arguments, logprobs), 5.6; openresponses 2, 3. */
import {
  type Content,
  type ContentPart,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  textMember,
} from './document.ts';
import { IMAGE_TYPES } from './mediaTypes.ts';
import { jsonText } from './write.ts';

const IMAGE_EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);
const TEXT_PARTS: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
]);

const text = (value: string): ContentPart => ({ type: 'text', text: value });

/** The content of a message or an output: a string stays that string. */
export function contentOf(value: Json | undefined): Content {
  if (typeof value === 'string') return value;
  if (!isArray(value)) return '';
  const parts = value.map(partOf);
  return parts.some(({ type }) => type !== 'text')
    ? parts
    : parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function partOf(part: Json): ContentPart {
  switch (textMember(part, 'type')) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return text(textMember(part, 'text') ?? '');
    case 'refusal':
      return text(`[refusal] ${textMember(part, 'refusal') ?? ''}`);
    case 'input_image': {
      const url = textMember(part, 'image_url') ?? '';
      const path = url !== '' ? url : (textMember(part, 'file_id') ?? '');
      const type = path === '' ? undefined : imageType(path);
      if (type !== undefined) return { type: 'image', source: { media_type: type, path } };
      return text(`[image: ${isDataUrl(path) ? `data URL ${dataUrlType(path)}` : path}]`);
    }
    case 'input_file': {
      const name = ['filename', 'file_id', 'file_url'].map((of) => textMember(part, of) ?? '').find((of) => of !== '');
      return text(`[file: ${name ?? ''}]`);
    }
    case 'input_video':
      return text(`[video: ${textMember(part, 'video_url') ?? ''}]`);
    default:
      return text(jsonText(part));
  }
}

export function isDataUrl(path: string): boolean {
  return path.startsWith('data:');
}

/** The media type that a data URL states, as it is spelled. */
function dataUrlType(url: string): string {
  return url.slice('data:'.length).split(/[;,]/, 1)[0] as string;
}

/** The media type of an image that a document may hold as a part (5.6); undefined for any other. */
function imageType(path: string): string | undefined {
  if (isDataUrl(path)) {
    const stated = dataUrlType(path).toLowerCase();
    const type = stated === 'image/jpg' ? 'image/jpeg' : stated;
    return IMAGE_TYPES.has(type) ? type : undefined;
  }
  const name = (path.split(/[?#]/, 1)[0] as string).split('/').at(-1) as string;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? 'image/png' : IMAGE_EXTENSIONS.get(name.slice(dot + 1).toLowerCase());
}

/** Concatenated text of parts (openresponses 2.1); a string is its own. */
export function textOfParts(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (!isArray(value)) return '';
  return value
    .map((part) => (TEXT_PARTS.has(textMember(part, 'type') ?? '') ? (textMember(part, 'text') ?? '') : ''))
    .join('');
}

/** Readable text of any item (5.6). */
export function readableText(item: JsonObject): string {
  switch (textMember(item, 'type')) {
    case 'message':
      return textOfParts(member(item, 'content'));
    case 'function_call_output':
      return textOfParts(member(item, 'output'));
    case 'compaction':
    case 'item_reference':
      return '';
    default:
      return textMember(item, 'text') ?? textMember(item, 'content') ?? '';
  }
}

/** Text of a reasoning item: its content, else its summary (5.4). */
export function reasoningText(item: JsonObject): string {
  const content = textOfParts(member(item, 'content'));
  return content !== '' ? content : textOfParts(member(item, 'summary'));
}

/** The messages of one model call as one content (5.4). */
export function joinContents(contents: readonly Content[]): Content {
  if (contents.every((content) => typeof content === 'string')) return contents.join('\n');
  return contents.flatMap((content) => (typeof content === 'string' ? [text(content)] : content));
}

/** Depth past which arguments stay text: the document must be readable where it is written into. */
const MAX_ARGUMENT_DEPTH = 1000;

/** The arguments of a call as an object (5.4). */
export function argumentsOf(spelled: string): JsonObject {
  if (spelled.trim() === '') return {};
  try {
    const value = JSON.parse(spelled) as Json;
    if (isObject(value) && isWritable(value)) return value;
  } catch {
    // Broken JSON is what the model wrote.
  }
  return { _arguments: spelled };
}

/** Whether JSON text can hold a parsed value: a number past binary64 reads as infinite. */
function isWritable(root: Json): boolean {
  const work: { readonly value: Json; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { value, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
    if (value === null || typeof value !== 'object') continue;
    if (depth > MAX_ARGUMENT_DEPTH) return false;
    for (const inner of Object.values(value)) work.push({ value: inner as Json, depth: depth + 1 });
  }
  return true;
}

/** The log probabilities of a call, when they cover every completion token (5.4); undefined when they do not, or when there is none. */
export function logprobsOf(items: readonly JsonObject[]): readonly number[] | undefined {
  const numbers: number[] = [];
  for (const item of items) {
    const parts = member(item, 'content');
    if (textMember(item, 'type') !== 'message' || !isArray(parts)) return undefined;
    for (const part of parts) {
      if (textMember(part, 'type') !== 'output_text') return undefined;
      const carried = member(part, 'logprobs');
      const list = isArray(carried) ? carried : [];
      if (list.length === 0 && textMember(part, 'text') !== '') return undefined;
      for (const element of list) {
        const number = member(element, 'logprob');
        if (typeof number !== 'number') return undefined;
        numbers.push(number);
      }
    }
  }
  return numbers.length === 0 ? undefined : numbers;
}
