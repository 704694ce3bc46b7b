/** Writing what a verb produced: to standard output, or to the file of `-out` (audit spec 6.6, "Artifacts"). */
import { decodeUtf8 } from '../../src/bytes/encoding.ts';
import { catalogue } from '../../src/evidence/catalogue.ts';
import { Unreadable } from '../../src/host/files.ts';
import { encode, type Shape } from '../../src/json/shape.ts';
import type { Flags } from './flags.ts';
import { indentJson } from './indent.ts';
import type { BideIo } from './io.ts';
import type { Session } from './session.ts';

export const OUT_FLAG = { out: { kind: 'string', help: 'write the artifact to this file' } } as const;

/** Puts an artifact where the command line wants it; with -json it is part of the envelope as well. */
export function produce<T>(shape: Shape<T>, value: T, flags: Flags, session: Session, io: BideIo): void {
  const compact = decodeUtf8(encode(shape, value)) as string;
  session.artifact = compact;
  const path = flags.optional('out');
  if (path === undefined) {
    session.lines.push(indentJson(compact));
    return;
  }
  try {
    io.write(path, indentJson(compact));
    io.err(`wrote ${path}\n`);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    session.take([
      catalogue.find('evidence/not-written', `the artifact could not be written: ${error.message}`, {
        where: { part: path },
      }),
    ]);
  }
}
