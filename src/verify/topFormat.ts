/** The `format` of a JSON document, or another member that names its kind, from its first bytes alone, as detection of kinds needs it. */

/**
 * The string member `format`, or the one named, of the outermost object, or undefined where the text does not show one. Only the outermost object is looked
 * at: artifacts hold other artifacts. The text may be cut off; it is not checked, the reader of the kind does that.
 */
export function topFormat(text: string, member = 'format'): string | undefined {
  let depth = 0;
  let isName = false;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '{':
        depth++;
        isName = true;
        break;
      case '[':
        if (depth === 0) return undefined;
        depth++;
        break;
      case '}':
      case ']':
        depth--;
        if (depth === 0) return undefined;
        break;
      case ',':
        isName = true;
        break;
      case ':':
        isName = false;
        break;
      case '"': {
        const end = endOfString(text, i);
        if (end === undefined) return undefined;
        if (depth === 0) return undefined;
        if (depth === 1 && isName && text.slice(i, end) === `"${member}"`) return stringAfterColon(text, end);
        i = end - 1;
        break;
      }
    }
  }
  return undefined;
}

/** Offset after the closing quote of the string that opens at `at`. */
function endOfString(text: string, at: number): number | undefined {
  let i = at + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i < text.length ? i + 1 : undefined;
}

function stringAfterColon(text: string, at: number): string | undefined {
  const match = /^\s*:\s*"([^"\\]{0,200})"/.exec(text.slice(at, at + 400));
  return match?.[1];
}
