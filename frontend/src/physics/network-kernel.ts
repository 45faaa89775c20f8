/** Small networks in the kernel that Hotlap learns with, compiled to WebAssembly: two kilobytes and no library. */
import { fetchBytes, fetchJson } from '../site/data';
import { BYTES, Memory, type MemoryExports } from './memory';
import type { SmallNetwork } from './small-network';

export interface DriverFile {
  format: number;
  slots: { group: string; field: string; dtype: string }[];
  limits: string[];
  activations: Record<string, number>;
}

interface Exports extends MemoryExports {
  act(addresses: number, first: number, last: number, mode: number): void;
}

/** That sums are the same bits here as in Python. */
const PORTABLE = 1;

/** The compiled forward pass, ready to take networks. */
export class NetworkKernel {
  private constructor(
    private readonly file: DriverFile,
    private readonly module: WebAssembly.Module,
  ) {}

  static async compile(file: DriverFile, wasm: ArrayBuffer): Promise<NetworkKernel> {
    return new NetworkKernel(file, await WebAssembly.compile(wasm));
  }

  async load(network: SmallNetwork): Promise<LoadedNetwork> {
    const imports = { env: Math as unknown as WebAssembly.ModuleImports };
    const instance = await WebAssembly.instantiate(this.module, imports);
    return new LoadedNetwork(this.file, instance.exports as unknown as Exports, network);
  }
}

/** One network in memory of its own. */
export class LoadedNetwork {
  private readonly input: Float32Array;
  private readonly output: Float32Array;
  private readonly table: number;

  constructor(
    file: DriverFile,
    private readonly exports: Exports,
    network: SmallNetwork,
  ) {
    const memory = new Memory(exports);
    const arrays = arraysOf(network, file);
    const places = file.slots.map(({ field, dtype }) => memory.take(BYTES[dtype]! * arrays[field]!.length));
    this.table = memory.take(BYTES.int64! * places.length);
    memory.reserve();
    for (const [number, { field, dtype }] of file.slots.entries()) {
      const values = arrays[field]!;
      const there = memory.view(dtype, places[number]!, values.length);
      if (dtype === 'int64') for (const [i, value] of values.entries()) there[2 * i] = value;
      else there.set(values);
    }
    memory.writeTable(this.table, places);
    const view = (field: string) => {
      const number = file.slots.findIndex((slot) => slot.field === field);
      return memory.view('float32', places[number]!, arrays[field]!.length) as Float32Array;
    };
    this.input = view('observations');
    this.output = view('actions');
  }

  /** The action on an observation; a view into memory. */
  act(observation: Float64Array): Float32Array {
    this.input.set(observation);
    this.exports.act(this.table, 0, 1, 0);
    return this.output;
  }
}

/** Everything the kernel takes, by its name there; observations, actions and layers are room for one car. */
function arraysOf(network: SmallNetwork, file: DriverFile): Record<string, ArrayLike<number> & number[]> {
  const { sizes, parameters, mean, scale, mixing, low, high, clip } = network;
  const widest = Math.max(...sizes);
  const limits: Record<string, number> = { clip, actions: low.length, widest };
  const arrays: Record<string, ArrayLike<number>> = {
    sizes,
    places: placesOf(sizes),
    kind: [sizes.length - 1, file.activations[network.activation]!, PORTABLE],
    parameters,
    mean,
    scale,
    output_low: network.outputLow,
    output_high: network.outputHigh,
    mixing,
    low,
    high,
    observations: new Float32Array(sizes[0]!),
    actions: new Float32Array(low.length),
    layers: new Float32Array(2 * widest),
    limits: file.limits.map((name) => limits[name]!),
  };
  return arrays as Record<string, ArrayLike<number> & number[]>;
}

/** Where each layer's weights begin among all parameters. */
function placesOf(sizes: number[]): number[] {
  const places: number[] = [];
  let next = 0;
  for (let layer = 0; layer + 1 < sizes.length; layer++) {
    places.push(next);
    next += sizes[layer + 1]! * (sizes[layer]! + 1);
  }
  return places;
}

let kernel: Promise<NetworkKernel> | null = null;

/** The page's own, from beside it. */
export function pageKernel(): Promise<NetworkKernel> {
  kernel ??= Promise.all([fetchJson<DriverFile>('data/driver.json'), fetchBytes('data/driver.wasm')]).then(
    ([file, wasm]) => NetworkKernel.compile(file, wasm),
  );
  kernel.catch(() => {
    kernel = null;
  });
  return kernel;
}
