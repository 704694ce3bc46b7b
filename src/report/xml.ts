/** Text in XML 1.0 (interop 5.2): nothing that XML cannot hold, no entity but the five, line ends of attributes kept. */

/** Characters that XML 1.0 cannot hold, not even as references, as `\u` and four hexadecimal digits. */
export function xmlSafe(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are taken out
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

/** The text of an element, in which a runner that reads the log finds no command of its own either. */
export function xmlContent(text: string): string {
  return escaped(text).replace(/^(\s*):(?=:)/gm, '$1&#58;');
}

/** The text of an attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return escaped(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#xA;')
    .replaceAll('\r', '&#xD;')
    .replaceAll('\t', '&#x9;');
}

function escaped(text: string): string {
  return xmlSafe(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/#(?=#\w*\[)/g, '&#35;');
}
