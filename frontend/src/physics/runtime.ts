/** onnxruntime, 14 MB: fetched only for graphs that Hotlap's own kernel does not know. */
import type { Tensor } from 'onnxruntime-web';
import { fetchBytes } from '../site/data';
import type { Model } from './policy';

export type Engine = typeof import('onnxruntime-web');

let engine: Promise<Engine> | null = null;

/** onnxruntime's WebAssembly build, from beside the page, with one thread. */
export function pageEngine(): Promise<Engine> {
  engine ??= loadedEngine();
  engine.catch(() => {
    engine = null;
  });
  return engine;
}

async function loadedEngine(): Promise<Engine> {
  const [module, { default: address }] = await Promise.all([
    import('onnxruntime-web/wasm'),
    import('onnxruntime-web/ort-wasm-simd-threaded.wasm?url'),
  ]);
  module.env.wasm.wasmBinary = await fetchBytes(address, 'onnxruntime');
  module.env.wasm.numThreads = 1;
  module.env.wasm.proxy = false;
  module.env.logLevel = 'error';
  return module as unknown as Engine;
}

/** A model in onnxruntime, for one car at a time. */
export async function runtimeModel(engine: Engine, file: Uint8Array, size: number): Promise<Model> {
  const session = await engine.InferenceSession.create(file, {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: 1,
  });
  const input = new Float32Array(size);
  return {
    act: async (observation) => {
      input.set(observation);
      const observed = new engine.Tensor('float32', input, [1, size]);
      const { action } = (await session.run({ observation: observed })) as { action: Tensor };
      const numbers = Array.from(action.data as Float32Array);
      action.dispose();
      return numbers;
    },
    release: () => session.release(),
  };
}
