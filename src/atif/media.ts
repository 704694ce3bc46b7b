/**
 * Media of a document as files beside it, named by what they hold: atif-export 12.4. Nothing is written here; the caller gets the files.
 */
import { hex, unbase64, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { isDataUrl } from './content.ts';
import { type AtifDocument, type Content, isObject, type Json, type JsonObject, member } from './document.ts';
import { knownExtension } from './mediaTypes.ts';
import { safe } from './names.ts';
import { rewritten } from './redact.ts';

export type Spilled =
  | {
      readonly ok: true;
      readonly document: AtifDocument;
      /** Relative path with `/` to the bytes of each file. */
      readonly files: ReadonlyMap<string, Uint8Array>;
    }
  | { readonly ok: false; readonly message: string };

interface File {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Takes the bytes of every data URL of a media part out of a document and of those embedded in it. */
export function spill(root: AtifDocument): Spilled {
  const files = new Map<string, Uint8Array>();
  /** Data URL and type of part to what became of it; a URL stands in a document as often as it was sent. */
  const known = new Map<string, File>();
  const paths = new Map<string, string>();
  const work = [root];
  for (let document = work.pop(); document !== undefined; document = work.pop()) {
    for (const content of contentsOf(document)) {
      if (content === null || content === undefined || typeof content === 'string') continue;
      for (const part of content) {
        if (part.type === 'text' || !isDataUrl(part.source.path)) continue;
        const { path: url, media_type: stated } = part.source;
        const key = `${part.type} ${stated} ${url}`;
        let file = known.get(key);
        if (file === undefined) {
          const decoded = decode(url, part.type, stated);
          if ('problem' in decoded)
            return { ok: false, message: `the data URL of an ${part.type} part ${decoded.problem}` };
          file = decoded;
          known.set(key, file);
        }
        files.set(file.path, file.bytes);
        paths.set(url, paths.get(url) ?? file.path);
      }
    }
    work.push(...(document.subagent_trajectories ?? []));
  }
  if (files.size === 0) return { ok: true, document: root, files };
  const renamed = rewritten(root as unknown as Json, (text) => paths.get(text) ?? text);
  return { ok: true, document: withTypes(root, renamed, known), files };
}

function* contentsOf({ steps }: AtifDocument): Generator<Content | null | undefined> {
  for (const { message, observation } of steps) {
    yield message;
    for (const { content } of observation?.results ?? []) yield content;
  }
}

/** Gives each spilled part the media type of its file. The rewriting of strings has made every object anew, so they are changed in place. */
function withTypes(before: AtifDocument, after: Json, known: ReadonlyMap<string, File>): AtifDocument {
  const made = after as unknown as AtifDocument;
  const work: (readonly [AtifDocument, AtifDocument])[] = [[before, made]];
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [old, fresh] = pair;
    const contents = [...contentsOf(old)];
    const changed = [...contentsOf(fresh)] as unknown as readonly (readonly Json[])[];
    contents.forEach((content, i) => {
      if (content === null || content === undefined || typeof content === 'string') return;
      content.forEach((part, k) => {
        if (part.type === 'text') return;
        const file = known.get(`${part.type} ${part.source.media_type} ${part.source.path}`);
        const source = member(changed[i]?.[k], 'source');
        if (file !== undefined && isObject(source)) assign(source, { media_type: file.mediaType, path: file.path });
      });
    });
    (old.subagent_trajectories ?? []).forEach((child, i) => {
      work.push([child, fresh.subagent_trajectories?.[i] as AtifDocument]);
    });
  }
  return made;
}

function assign(object: JsonObject, members: JsonObject): void {
  Object.assign(object as { [name: string]: Json }, members);
}

function decode(url: string, type: 'image' | 'audio', stated: string): File | { readonly problem: string } {
  const comma = url.indexOf(',');
  if (comma < 0) return { problem: 'has no comma before its data' };
  const [ofUrl = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  const bytes = parameters.includes('base64') ? lenientBase64(data) : utf8(data);
  if (bytes === undefined) return { problem: 'is not base64' };
  const lower = (ofUrl === '' ? stated : ofUrl).toLowerCase();
  const mediaType = lower === 'image/jpg' ? 'image/jpeg' : lower;
  const folder = type === 'audio' ? 'audio' : 'images';
  return { path: `${folder}/${hex(sha256(bytes))}${extensionOf(mediaType)}`, mediaType, bytes };
}

/** Standard base64, with or without padding. */
function lenientBase64(data: string): Uint8Array | undefined {
  return unbase64(data.endsWith('=') ? data : data.padEnd(Math.ceil(data.length / 4) * 4, '='));
}

function extensionOf(mediaType: string): string {
  const known = knownExtension(mediaType);
  if (known !== undefined) return `.${known}`;
  const slash = mediaType.indexOf('/');
  const subtype = slash < 0 ? '' : mediaType.slice(slash + 1);
  return subtype === '' ? '.bin' : `.${safe(subtype)}`;
}
