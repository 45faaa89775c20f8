/** How the game is built: into the Python package, with relative addresses, so that it works in any folder. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = dirname(fileURLToPath(import.meta.url));

export default defineConfig({
  root: here,
  base: './',
  build: {
    outDir: join(here, '../src/hotlap/web/static'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Nothing inline: the server's content security policy allows no inline style or script.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    // Packing onnxruntime and Python only to print a size takes longer than the rest of the build.
    reportCompressedSize: false,
    rollupOptions: { input: [join(here, 'index.html'), join(here, 'highway.html')] },
  },
  // The numbers of the worlds lie in the Python package.
  server: { fs: { allow: [join(here, '..')] } },
  worker: { format: 'es' },
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
    globalSetup: ['tests/global-setup.ts'],
    // Long enough on a machine that others use too: no test is about the clock.
    testTimeout: 60_000,
  },
});
