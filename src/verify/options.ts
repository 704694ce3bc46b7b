/** Options from files: what the command line, a worker and the page each have in hand, made into what `verify` takes. */
import { memorySource } from '../bytes/source.ts';
import type { Finding } from '../finding/finding.ts';
import { NO_TRUST } from '../trust/trust.ts';
import type { Input, VerifyOptions } from './kind.ts';

export interface NamedBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Reads the trust files and joins them with the other options. Findings about the trust files belong to no input. */
export async function withTrust(
  trustFiles: readonly NamedBytes[],
  options: Omit<VerifyOptions, 'trust' | 'trustFiles'>,
): Promise<{ readonly options: VerifyOptions; readonly findings: readonly Finding[] }> {
  const { trust, findings } =
    trustFiles.length === 0
      ? { trust: NO_TRUST, findings: [] }
      : await (await import('../trust/read.ts')).readTrust(
          trustFiles.map(({ path, bytes }) => ({ name: path, bytes })),
        );
  return { options: { ...options, trust, trustFiles: trustFiles.map(inputOf) }, findings };
}

export function inputOf({ path, bytes }: NamedBytes): Input {
  return { path, source: memorySource(bytes) };
}
