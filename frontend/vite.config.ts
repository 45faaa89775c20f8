/** How the game is built: into the Python package, with relative addresses, the inference engine beside it. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const here = dirname(fileURLToPath(import.meta.url));
const outDir = join(here, '../src/hotlap/web/static');
const engineFiles = ['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'];

/** onnxruntime's own files, unchanged, so that the page loads them from where it was loaded itself. */
function inferenceEngineFiles(): Plugin {
  return {
    name: 'inference-engine-files',
    apply: 'build',
    writeBundle(options) {
      const folder = join(options.dir ?? outDir, 'ort');
      mkdirSync(folder, { recursive: true });
      for (const file of engineFiles)
        copyFileSync(join(here, 'node_modules/onnxruntime-web/dist', file), join(folder, file));
    },
  };
}

export default defineConfig({
  root: here,
  base: './',
  plugins: [inferenceEngineFiles()],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
  },
  server: { proxy: { '/data': 'http://127.0.0.1:8000', '/api': 'http://127.0.0.1:8000' } },
  test: { include: ['tests/**/*.test.ts'], environment: 'node' },
});
