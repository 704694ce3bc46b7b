/** A file of lines, each followed by one line feed (session-format 1.10). A session may have more lines than a call takes arguments. */
export function joinLines(lines: Iterable<Uint8Array>): Uint8Array {
  const all = [...lines];
  const file = new Uint8Array(all.reduce((sum, { length }) => sum + length + 1, 0));
  let at = 0;
  for (const line of all) {
    file.set(line, at);
    at += line.length;
    file[at++] = 0x0a;
  }
  return file;
}
