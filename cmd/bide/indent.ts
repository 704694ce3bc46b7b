/** JSON text with two spaces of indentation, as Go's Indent writes it: only white space is added, so that numbers and escapes stay. */

export function indentJson(compact: string): string {
  let out = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (let i = 0; i < compact.length; i++) {
    const character = compact[i] as string;
    switch (character) {
      case '"': {
        let end = i + 1;
        while (compact[end] !== '"') end += compact[end] === '\\' ? 2 : 1;
        out += compact.slice(i, end + 1);
        i = end;
        break;
      }
      case '{':
      case '[': {
        const close = character === '{' ? '}' : ']';
        if (compact[i + 1] === close) {
          out += character + close;
          i++;
          break;
        }
        depth++;
        out += character + line();
        break;
      }
      case '}':
      case ']':
        depth--;
        out += line() + character;
        break;
      case ',':
        out += `,${line()}`;
        break;
      case ':':
        out += ': ';
        break;
      default:
        out += character;
    }
  }
  return out;
}
