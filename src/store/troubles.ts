/** Refs and blobs that name, or are named by, something that is not there (session-store 1.15, 7). */
import { memorySource } from '../bytes/source.ts';
import { Scanner } from '../json/scan.ts';
import { catalogue } from '../session/catalogueStores.ts';
import { blobHash, sidecarBlobs } from '../session/media.ts';
import { readSession } from '../session/read.ts';
import type { Backend, Trouble } from './backend.ts';
import { codeOf } from './errors.ts';
import type { RefTable } from './refs.ts';

export function* referenceTroubles(backend: Backend, identOf: (id: string) => string | undefined): Generator<Trouble> {
  yield* danglingRefs(backend, identOf);
  yield* blobTroubles(backend);
}

function* danglingRefs(backend: Backend, identOf: (id: string) => string | undefined): Generator<Trouble> {
  let refs: RefTable;
  try {
    refs = backend.refs.all();
  } catch (error) {
    // That they cannot be read is told of by the place itself.
    if (codeOf(error) === 'corrupt') return;
    throw error;
  }
  for (const [name, { session, entry, ident }] of refs) {
    const found = identOf(session);
    const dangles =
      found === undefined
        ? `the session ${session}, which is not held`
        : found !== ident
          ? `a session ${session} that was there before the one that is there now`
          : entry !== '' && readEntry(backend, session, entry) === undefined
            ? `the entry ${entry}, which session ${session} does not hold`
            : undefined;
    if (dangles !== undefined)
      yield {
        finding: catalogue.find('store/ref-dangling', `the ref ${JSON.stringify(name)} names ${dangles}`, {
          where: { part: name },
        }),
      };
  }
}

function readEntry(backend: Backend, session: string, entry: string): number | undefined {
  const stored = backend.read(session);
  return stored === undefined ? undefined : readSession(memorySource(stored.bytes)).session?.find(entry);
}

function* blobTroubles(backend: Backend): Generator<Trouble> {
  const held = new Set<string>();
  for (const hash of backend.blobs.hashes()) {
    held.add(hash);
    const data = backend.blobs.get(hash);
    const actual = data === undefined ? hash : blobHash(data);
    if (actual !== hash)
      yield {
        finding: catalogue.find('store/blob-mismatch', `the blob kept as ${hash} hashes to something else`, {
          where: { part: hash },
          expected: hash,
          actual,
        }),
      };
  }
  const scanner = new Scanner();
  for (const id of backend.ids()) {
    const stored = backend.read(id);
    const { session } = stored === undefined ? { session: undefined } : readSession(memorySource(stored.bytes));
    if (session?.header.media !== 'sidecar') continue;
    for (let index = 0; index < session.size; index++)
      for (const hash of sidecarBlobs(session.bytes(index), scanner))
        if (!held.has(hash))
          yield {
            finding: catalogue.find('store/blob-missing', `session ${id} names the blob ${hash}, which is not held`, {
              where: { part: id, entry: session.id(index) },
              expected: hash,
              actual: 'no blob',
            }),
          };
  }
}
