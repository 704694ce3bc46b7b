/**
 * J(v): what a record says to the bytes that a journal stores (journal 2.3 to 2.8). Members in written order, nothing between tokens, raw
 * JSON as it is but for white space and the two separators. Decoding bytes that a journal wrote and encoding again gives the same bytes.
 */
import { base64, concat, utf8 } from '../bytes/encoding.ts';
import { MEMBERS } from './decode.ts';
import type { JournalRecord, Message, Part, RawJson, Safety, Usage } from './record.ts';
import { NoRecord, Scanner } from './scanner.ts';
import { quote, quoteHtml } from './text.ts';

/** Pieces of text and of bytes, joined once: raw JSON may hold bytes that no text can. */
class Writer {
  readonly #parts: Uint8Array[] = [];
  #text = '';

  text(text: string): this {
    this.#text += text;
    return this;
  }
  raw(bytes: Uint8Array): this {
    this.#flush();
    this.#parts.push(bytes);
    return this;
  }
  done(): Uint8Array {
    this.#flush();
    return this.#parts.length === 1 ? (this.#parts[0] as Uint8Array) : concat(...this.#parts);
  }
  #flush(): void {
    if (this.#text === '') return;
    this.#parts.push(utf8(this.#text));
    this.#text = '';
  }
}

/** JOURNAL for stored records, MARSHAL for event leaves: they differ in `<`, `>` and `&` (audit spec 0.6). */
export type Mode = 'journal' | 'marshal';

/**
 * Raw JSON as it is stored: white space between tokens goes, U+2028 and U+2029 are escaped, nothing else changes (journal 2.5); in MARSHAL
 * mode `<`, `>` and `&` are escaped too. Throws RangeError for bytes that are not one JSON value: a writer's mistake.
 */
export function compactRaw(bytes: RawJson, mode: Mode = 'journal'): RawJson {
  const scanner = new Scanner().begin(bytes);
  try {
    scanner.raw();
    scanner.end();
  } catch (error) {
    if (error instanceof NoRecord) throw new RangeError(`not one JSON value: ${error.message}`);
    throw error;
  }
  if (scanner.deviation === undefined && mode === 'journal') return bytes;
  const out = new Uint8Array(bytes.length * (mode === 'journal' ? 2 : 6));
  let length = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (!inString && (byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)) continue;
    const escaped =
      byte === 0xe2 && bytes[i + 1] === 0x80
        ? bytes[i + 2] === 0xa8
          ? '\\u2028'
          : bytes[i + 2] === 0xa9
            ? '\\u2029'
            : undefined
        : mode === 'marshal'
          ? HTML[byte]
          : undefined;
    if (escaped !== undefined) {
      for (let j = 0; j < escaped.length; j++) out[length++] = escaped.charCodeAt(j);
      if (byte === 0xe2) i += 2;
      continue;
    }
    if (byte === 0x22) inString = !inString;
    else if (byte === 0x5c && inString) {
      out[length++] = byte;
      i++;
      out[length++] = bytes[i] as number;
      continue;
    }
    out[length++] = byte;
  }
  return out.slice(0, length);
}

const HTML: Readonly<Record<number, string>> = { 60: '\\u003c', 62: '\\u003e', 38: '\\u0026' };

/** Encodes a record. Raw members are compacted on the way. */
export function encodeRecord(record: JournalRecord): Uint8Array {
  const out = new Writer();
  out.text('{"name":').text(quote(record.name)).text(',"kind":').text(quote(record.kind));
  for (const [name, slot] of MEMBERS.slice(2)) {
    const value = record[slot];
    if (value === undefined || value === '' || value === false || value === 0n) continue;
    if (
      (slot === 'signature' || slot === 'salt' || slot === 'approverCert') &&
      (value as { length: number }).length === 0
    )
      continue;
    if ((slot === 'result' || slot === 'evidence' || slot === 'approval') && (value as RawJson).length === 0) continue;
    out.text(`,"${name}":`);
    switch (slot) {
      case 'message':
        writeMessage(out, value as Message, 'journal');
        break;
      case 'usage':
      case 'discardedUsage':
        out.text(usageText(value as Usage));
        break;
      case 'model': {
        const { provider, model, responseFormat } = value as NonNullable<JournalRecord['model']>;
        out.text(
          object([
            provider !== '' && `"provider":${quote(provider)}`,
            model !== '' && `"model":${quote(model)}`,
            responseFormat && '"response_format":true',
          ]),
        );
        break;
      }
      case 'safety':
        out.text(safetyText(value as Safety));
        break;
      case 'result':
      case 'evidence':
      case 'approval':
        out.raw(compactRaw(value as RawJson));
        break;
      case 'signature':
      case 'salt':
        out.text(`"${base64(value as Uint8Array)}"`);
        break;
      case 'approverCert':
        out.text(`[${(value as readonly Uint8Array[]).map((der) => `"${base64(der)}"`).join(',')}]`);
        break;
      default:
        out.text(typeof value === 'string' ? quote(value) : String(value));
    }
  }
  return out.text('}').done();
}

/** A message on its own: an input of run:start, an answer of a session, the event of a turn. */
export function encodeMessage(message: Message, mode: Mode = 'journal'): Uint8Array {
  const out = new Writer();
  writeMessage(out, message, mode);
  return out.done();
}

function object(members: readonly (string | false)[]): string {
  return `{${members.filter((member) => member !== false).join(',')}}`;
}

function usageText(usage: Usage): string {
  return object([
    usage.inputTokens !== 0 && `"input_tokens":${usage.inputTokens}`,
    usage.outputTokens !== 0 && `"output_tokens":${usage.outputTokens}`,
    usage.cacheReadTokens !== 0 && `"cache_read_tokens":${usage.cacheReadTokens}`,
    usage.cacheWriteTokens !== 0 && `"cache_write_tokens":${usage.cacheWriteTokens}`,
  ]);
}

function safetyText(safety: Safety): string {
  return object([safety.readOnly && '"read_only":true', safety.idempotent && '"idempotent":true']);
}

function writeMessage(out: Writer, message: Message, mode: Mode): void {
  const string = mode === 'journal' ? quote : quoteHtml;
  out.text(`{"role":${string(message.role)}`);
  message.parts.forEach((part, index) => {
    out.text(index === 0 ? ',"parts":[' : ',');
    writePart(out, part, mode);
  });
  out.text(message.parts.length > 0 ? ']}' : '}');
}

/** Members sorted by name, the type among them (journal 2.6). */
function writePart(out: Writer, part: Part, mode: Mode): void {
  const string = mode === 'journal' ? quote : quoteHtml;
  const optional = (name: string, value: string) => (value === '' ? '' : `"${name}":${string(value)},`);
  switch (part.type) {
    case 'text':
      out.text(`{"text":${string(part.text)},"type":"text"}`);
      break;
    case 'reasoning':
      out.text(`{${optional('redacted', part.redacted)}${optional('signature', part.signature)}`);
      out.text(`"text":${string(part.text)},"type":"reasoning"}`);
      break;
    case 'tool_use':
      out.text('{');
      if (part.args !== undefined && part.args.length > 0)
        out.text('"args":').raw(compactRaw(part.args, mode)).text(',');
      out.text(`"id":${string(part.id)},"name":${string(part.name)},${optional('signature', part.signature)}`);
      out.text('"type":"tool_use"}');
      break;
    case 'tool_result':
      out.text(`{${part.isError ? '"is_error":true,' : ''}`);
      if (part.result !== undefined && part.result.length > 0)
        out.text('"result":').raw(compactRaw(part.result, mode)).text(',');
      out.text(`"tool_use_id":${string(part.toolUseId)},"type":"tool_result"}`);
      break;
    case 'image':
      out.text('{');
      if (part.data !== undefined && part.data.length > 0) out.text(`"data":"${base64(part.data)}",`);
      out.text(`${optional('mime', part.mime)}"type":"image"`);
      out.text(part.url === '' ? '}' : `,"url":${string(part.url)}}`);
      break;
  }
}
