/** Trust files named on the command line. */

import type { Finding } from '../src/finding/finding.ts';
import { Unreadable } from '../src/host/files.ts';
import { NO_TRUST, type Trust } from '../src/trust/trust.ts';
import type { Args, Io } from './command.ts';

/** The trust files of `--trust`, merged, and what was wrong with them. Throws Unreadable with the path. */
export async function readTrustFiles(args: Args, io: Io): Promise<{ trust: Trust; findings: readonly Finding[] }> {
  const paths = args.list('trust');
  if (paths.length === 0) return { trust: NO_TRUST, findings: [] };
  const files = paths.map((name) => {
    try {
      return { name, bytes: io.read(name) };
    } catch (error) {
      if (error instanceof Unreadable) throw new Unreadable(`${name}: ${error.message}`, error.tooLarge);
      throw error;
    }
  });
  const { readTrust } = await import('../src/trust/read.ts');
  return readTrust(files);
}
