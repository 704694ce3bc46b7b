/** Containers and envelopes of `interop/`. */
import type { Json, Suite } from '../suite.ts';

type Row = { readonly [name: string]: Json };

const zip: Suite = {
  name: 'interop/zip',
  folder: 'interop',
  *cases(folder) {
    for (const row of (folder.json('zip.json') as { readonly cases: readonly Row[] }).cases) {
      const archive = row['zip'] as string;
      yield {
        name: String(row['id']),
        op: 'bundle/read-zip',
        params: { zip_b64: archive },
        expect: (answer) => {
          const { gives, again_b64: again } = answer as Row;
          if (gives !== row['gives']) return `expected ${String(row['gives'])}, got ${String(gives)}`;
          return gives === 'ok' && again !== archive ? 'writing the entries again gives other bytes' : undefined;
        },
      };
    }
  },
};

export const suites: readonly Suite[] = [zip];
