/** The browser bundle: the verifier and its renderers in one classic script without imports, which a page can carry inside itself. */
import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    outDir: 'dist/browser',
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    lib: { entry: 'src/browser.ts', formats: ['iife'], name: 'auditBundle', fileName: () => 'audit.js' },
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
