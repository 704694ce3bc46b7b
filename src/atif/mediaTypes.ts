/** Media types of parts and the extensions of spilled files: atif-export 2.4, 12.4. */

export const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Type or alias to the type it stands for. */
const AUDIO_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'audio/wav': ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
    'audio/mpeg': ['audio/mpeg', 'audio/mp3', 'audio/mpga', 'audio/x-mpeg'],
    'audio/mp4': ['audio/mp4', 'audio/x-m4a', 'audio/m4a'],
    'audio/aac': ['audio/aac', 'audio/x-aac'],
    'audio/ogg': ['audio/ogg'],
    'audio/flac': ['audio/flac', 'audio/x-flac'],
    'audio/webm': ['audio/webm'],
    'audio/aiff': ['audio/aiff', 'audio/x-aiff'],
  }).flatMap(([type, spellings]) => spellings.map((spelling) => [spelling, type] as const)),
);

/** The type that an audio media type stands for; undefined when it is not in the list. */
export function normalizeAudioMediaType(mediaType: string): string | undefined {
  return AUDIO_TYPES.get(mediaType.trim().toLowerCase());
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/aac', 'aac'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
  ['audio/webm', 'webm'],
  ['audio/aiff', 'aiff'],
]);

/** The extension of a file of a media type, where the list has one. */
export function knownExtension(mediaType: string): string | undefined {
  return EXTENSIONS.get(mediaType);
}
