/** What a folder of session files shows beside its sessions: locks, leftovers, torn tails, names that do not fit (session-store 4). */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppendFile } from '../durable/appendFile.ts';
import { isFolder, standing } from '../durable/files.ts';
import { breakLock, isStale, Locked, lockHolder, takeLock } from '../durable/lock.ts';
import { catalogue } from '../session/catalogueStores.ts';
import { readHeader } from '../session/header.ts';
import type { Trouble } from './backend.ts';
import { codeOf } from './errors.ts';
import type { FileRefs } from './jsonlRefs.ts';
import { BLOBS, idOfFile, isBlobName, LINES, LOCK, REF_LOG, REFS, TEMPORARY } from './layout.ts';
import { endingOf } from './lineScan.ts';
import { headerOf, namesIn, readWhole } from './sessionFiles.ts';

export function* folderTroubles(root: string, refs: FileRefs): Generator<Trouble> {
  const seen = new Map<string, string>();
  for (const folder of namesIn(root)) {
    if (folder.startsWith('.')) continue;
    for (const name of namesIn(join(root, folder))) {
      const part = `${folder}/${name}`;
      const path = join(root, folder, name);
      const isLock = name.endsWith(`${LINES}${LOCK}`);
      const isTemporary = name.endsWith(`${LINES}${TEMPORARY}`);
      if (!isLock && !isTemporary && idOfFile(name) === undefined) continue;
      if (standing(path) === 'other') yield noFile(part);
      else if (isLock) yield* lockTrouble(path, part);
      else if (isTemporary) yield leftover(path, part);
      else yield* fileTroubles(path, part, name, seen);
    }
  }
  for (const part of [`${REFS}${LOCK}`, `${REFS}${TEMPORARY}`, `${REF_LOG}${TEMPORARY}`])
    if (standing(join(root, part)) === 'other') yield noFile(part);
  yield* refTroubles(refs);
  yield* blobTroubles(root);
}

function noFile(part: string, what = 'no file'): Trouble {
  return { finding: catalogue.find('store/not-a-file', `${part} is ${what}`, { where: { part } }) };
}

function* blobTroubles(root: string): Generator<Trouble> {
  const folder = join(root, BLOBS);
  if (!isFolder(folder) && standing(folder) !== 'nothing') yield noFile(BLOBS, 'no folder');
  for (const name of namesIn(folder))
    if (isBlobName(name) && standing(join(folder, name)) === 'other') yield noFile(`${BLOBS}/${name}`);
}

function* lockTrouble(path: string, part: string): Generator<Trouble> {
  const holder = lockHolder(path);
  const where = { part };
  if (holder === undefined)
    yield { finding: catalogue.find('store/held', `${part} does not say who holds the session`, { where }) };
  else if (isStale(holder))
    yield {
      finding: catalogue.find(
        'store/stale-lock',
        `process ${holder.pid}, which held ${part} since ${holder.since}, is gone`,
        {
          where,
        },
      ),
      repair: () => {
        const now = lockHolder(path);
        // The repair of its session may have taken it over and given it back.
        if (now === undefined) return standing(path) === 'nothing';
        if (!isStale(now)) return false;
        breakLock(path);
        return true;
      },
    };
  else
    yield {
      finding: catalogue.find(
        'store/held',
        `process ${holder.pid} on ${holder.host} holds ${part} since ${holder.since}`,
        { where },
      ),
    };
}

function leftover(path: string, part: string): Trouble {
  const session = path.slice(0, -TEMPORARY.length);
  return {
    finding: catalogue.find('store/leftover', `${part} was left by a step that did not finish`, { where: { part } }),
    ...heldBy(session),
    repair: () =>
      locked(session, () => {
        rmSync(path, { force: true });
        return true;
      }),
  };
}

/** Who holds a session, unless the holder is gone. */
function heldBy(session: string): Pick<Trouble, 'heldBy'> {
  const lock = `${session}${LOCK}`;
  if (standing(lock) === 'nothing') return {};
  const holder = lockHolder(lock);
  if (holder === undefined) return { heldBy: 'somebody whom its lock does not name' };
  return isStale(holder) ? {} : { heldBy: `process ${holder.pid} on ${holder.host} since ${holder.since}` };
}

/** Acts while nobody else may write the session; false where somebody may. */
function locked(session: string, act: () => boolean): boolean {
  try {
    const lock = takeLock(`${session}${LOCK}`, { since: new Date().toISOString() });
    try {
      return act();
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!(error instanceof Locked)) throw error;
    return false;
  }
}

function* fileTroubles(path: string, part: string, name: string, seen: Map<string, string>): Generator<Trouble> {
  const id = idOfFile(name);
  // A repair never goes through a link, out of the store.
  if (id === undefined || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const bytes = readWhole(path)?.bytes;
  if (bytes === undefined) return;
  const first = seen.get(id);
  if (first === undefined) seen.set(id, part);
  else
    yield {
      finding: catalogue.find('store/id-twice', `${part} holds the id of ${first}`, { where: { part }, actual: id }),
    };
  const header = readHeader(headerOf(bytes), 0, 1).header;
  if (header !== undefined && header.id !== id)
    yield {
      finding: catalogue.find('store/id-differs', `${part} holds the session ${JSON.stringify(header.id)}`, {
        where: { part },
        expected: id,
        actual: header.id,
      }),
    };
  const { end, torn } = endingOf(bytes);
  // What is no session is left as it is.
  if (torn && header !== undefined)
    yield {
      finding: catalogue.find(
        'store/torn-tail',
        `${part} ends in ${bytes.length - end} bytes of a line that was torn`,
        {
          where: { part, byte: end, length: bytes.length - end },
        },
      ),
      ...heldBy(path),
      repair: () =>
        locked(path, () => {
          // Looked at again under the lock: somebody may have cut it and gone on.
          const now = readWhole(path)?.bytes;
          const ending = now === undefined ? undefined : endingOf(now);
          if (now === undefined || ending?.torn !== true) return false;
          AppendFile.resume(path, { read: now.length, end: ending.end, lineFeed: false }).close();
          return true;
        }),
    };
}

function* refTroubles(refs: FileRefs): Generator<Trouble> {
  try {
    if (refs.isBehind())
      yield {
        finding: catalogue.find('store/refs-behind', 'the log of refs is ahead of the document'),
        repair: () => refs.complete(),
      };
  } catch (error) {
    if (codeOf(error) !== 'corrupt') throw error;
    yield { finding: catalogue.find('store/refs-damaged', (error as Error).message) };
  }
}
