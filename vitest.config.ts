import { readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { leftOut } from './scripts/needs-vectors.mjs';

/** Packages that import JSON in a way that only a bundler takes, read without the source maps that they name and do not ship. */
const BUNDLED = /node_modules\/@actions\//;

export default defineConfig({
  plugins: [
    {
      name: 'without-absent-source-maps',
      load: (id) =>
        BUNDLED.test(id) && id.endsWith('.js')
          ? readFileSync(id, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
          : null,
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut()],
    // The long forms of `make fuzz` run for as long as they need.
    testTimeout: process.env['AUDIT_FUZZ'] === undefined ? 60_000 : 3_600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    server: { deps: { inline: [BUNDLED] } },
  },
});
