/** Python in a thread of its own: told where the grammar is, it fetches Pyodide, starts, and reads order after order. */
import type * as Pyodide from 'pyodide';
import scriptAddress from 'pyodide/pyodide.asm.js?url';
import wasmAddress from 'pyodide/pyodide.asm.wasm?url';
import loaderAddress from 'pyodide/pyodide.mjs?url';
import { info } from 'pyodide/pyodide-lock.json';
import libraryAddress from 'pyodide/python_stdlib.zip?url';
import { fetchBytes, fetchJson } from '../site/data';
import { type Download, downloads } from '../site/downloads';
import { reasonOf } from '../site/reasons';

export type ToWorker = { grammar: string } | { order: string };
export type FromWorker =
  | { downloads: Download[] }
  | { ready: true }
  | { answer: string }
  | { failed: string };

interface Grammar {
  format: number;
  /** Python sources by their place. */
  sources: Record<string, string>;
}

let read: (order: string) => string = () => '';

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if ('order' in data) return tell({ answer: read(data.order) });
    read = await startedReader(data.grammar);
    tell({ ready: true });
  } catch (problem) {
    tell({ failed: reasonOf(problem) });
  }
};

function tell(message: FromWorker): void {
  self.postMessage(message);
}

async function startedReader(grammarAddress: string): Promise<(order: string) => string> {
  downloads.onChange = () => tell({ downloads: downloads.current });
  const [grammar, wasm, library] = await Promise.all([
    fetchJson<Grammar>(grammarAddress, 'the grammar'),
    fetchBytes(wasmAddress, 'Python'),
    fetchBytes(libraryAddress, 'Python’s library'),
  ]);
  const python = await startedPython(wasm, library);
  for (const [path, source] of Object.entries(grammar.sources)) {
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    python.FS.writeFile(path, source);
  }
  return python.pyimport('hotlap.highway.orders.answers').answer_json;
}

async function startedPython(wasm: ArrayBuffer, library: ArrayBuffer): Promise<Pyodide.PyodideInterface> {
  // Pyodide asks for its two files itself: it gets what is here already, counted and known to be whole.
  self.fetch = async (address) =>
    new Response(String(address).endsWith('.wasm') ? wasm : library, {
      headers: { 'Content-Type': 'application/wasm' },
    });
  await import(/* @vite-ignore */ scriptAddress);
  const { loadPyodide }: typeof Pyodide = await import(/* @vite-ignore */ loaderAddress);
  // No package beyond Python's own library is ever loaded, so the list of them stays empty.
  return loadPyodide({ indexURL: self.location.href, lockFileContents: { info, packages: {} } as never });
}
