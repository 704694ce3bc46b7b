/** Writing documents to a folder: atif-export 12.2 to 12.4. A file appears whole or not at all, and never through a link. */
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { violationFinding } from '../src/atif/catalogue.ts';
import type { AtifDocument } from '../src/atif/document.ts';
import { spill } from '../src/atif/media.ts';
import { documentName } from '../src/atif/names.ts';
import { readAtif } from '../src/atif/read.ts';
import { firstBroken } from '../src/atif/rules.ts';
import { documentText } from '../src/atif/write.ts';
import { utf8 } from '../src/bytes/encoding.ts';
import type { Finding } from '../src/finding/finding.ts';
import { reasonOf, Unreadable } from '../src/host/files.ts';

/** What became of a document: its file, or why it is not written. */
export type Written =
  | { readonly ok: true; readonly path: string; readonly media: number; readonly document: AtifDocument }
  | { readonly ok: false; readonly name: string; readonly finding: Finding | string };

/** Writes a document under its name. Throws Unreadable where a file cannot be written. */
export function writeAtif(folder: string, document: AtifDocument): Written {
  return writeDocument(join(folder, documentName(document)), document);
}

/** The same under a name of the caller's choosing; media stand beside that file. */
export function writeDocument(path: string, document: AtifDocument): Written {
  const name = documentName(document);
  const spilled = spill(document);
  if (!spilled.ok) return { ok: false, name, finding: spilled.message };
  const bytes = utf8(documentText(spilled.document));
  const { rules, findings } = readAtif(bytes);
  const broken = firstBroken(rules?.violations ?? [], 'validate');
  const fault = findings[0] ?? (broken === undefined ? undefined : violationFinding(broken));
  if (fault !== undefined) return { ok: false, name, finding: fault };
  const folder = dirname(path);
  makeFolder(folder);
  for (const [relative, content] of spilled.files) {
    const [kind = ''] = relative.split('/');
    makeFolder(join(folder, kind));
    if (lstatSync(join(folder, kind)).isSymbolicLink())
      throw new Unreadable(`${join(folder, kind)}: it is a link, and media are not written through one`);
    const target = join(folder, ...relative.split('/'));
    if (!exists(target)) writeWhole(target, content);
  }
  writeWhole(path, bytes);
  return { ok: true, path, media: spilled.files.size, document: spilled.document };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new Unreadable(`${path}: ${reasonOf(error)}`);
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function writeWhole(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}.part`;
  try {
    writeFileSync(temporary, bytes, { flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Unreadable(`${path}: ${reasonOf(error)}`);
  }
}
