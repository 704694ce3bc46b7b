/** One verb of `bide-audit` over files in memory: its status and every code that it reports (audit spec 6.2). */
import { type Flags, readFlags } from '../../cmd/bide/flags.ts';
import type { BideIo } from '../../cmd/bide/io.ts';
import { Session } from '../../cmd/bide/session.ts';
import { COMMON_FLAGS } from '../../cmd/bide/verb.ts';
import { loadVerb } from '../../cmd/bide/verbs.ts';
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { Unreadable } from '../../src/host/files.ts';
import { AFTER } from '../bideMemory.ts';
import type { Json, Operation } from '../suite.ts';

export const operations: Record<string, Operation> = {
  /** `files` are texts, or base64 after `base64:`; a file below `/nowhere` cannot be written. */
  'bide/codes': async ({ verb: name, args, files }) => {
    const verb = await loadVerb(String(name));
    if (verb === undefined) throw new Error(`no verb ${String(name)}`);
    const read = readFlags({ ...verb.flags, ...COMMON_FLAGS }, (args as readonly Json[]).map(String));
    if (!read.ok) throw new Error(read.message);
    const session = new Session();
    await run(verb, read.flags, session, memory((files ?? {}) as Readonly<Record<string, Json>>));
    return { status: session.status, codes: [...new Set(session.findings.map(({ code }): string => code))].sort() };
  },
};

async function run(
  verb: NonNullable<Awaited<ReturnType<typeof loadVerb>>>,
  flags: Flags,
  session: Session,
  io: BideIo,
): Promise<void> {
  const wrong = verb.usage?.(flags);
  if (wrong !== undefined) throw new Error(wrong);
  await verb.run(flags, session, io);
}

function memory(files: Readonly<Record<string, Json>>): BideIo {
  const all = new Map(
    Object.entries(files).map(([name, value]) => {
      const text = String(value);
      return [name, text.startsWith('base64:') ? (unbase64(text.slice(7)) ?? new Uint8Array()) : utf8(text)];
    }),
  );
  return {
    out() {},
    err() {},
    now: () => AFTER,
    read(path, limit) {
      const bytes = all.get(path);
      if (bytes === undefined) throw new Unreadable('there is no such file');
      if (bytes.length > limit) throw new Unreadable('it is too large', true);
      return bytes;
    },
    exists: (path) => all.has(path),
    folder() {
      throw new Unreadable('there is no such folder');
    },
    write(path) {
      if (path.startsWith('/nowhere')) throw new Unreadable('there is no such folder');
    },
    runChecker: () => ({ status: null, reason: 'there is no such file', output: '' }),
    temporary(bytes) {
      const path = `temporary-${all.size}`;
      all.set(path, bytes);
      return { path, remove: () => void all.delete(path) };
    },
  };
}
