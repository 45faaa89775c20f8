/** A trained driver: `policy.onnx`, run by Hotlap's own kernel where that knows the graph, else by onnxruntime. */
import type { PolicyEntry } from '../site/data';
import { reasonOf } from '../site/reasons';
import type { Controls } from './kernel';
import { type NetworkKernel, pageKernel } from './network-kernel';
import { type Graph, readGraph } from './onnx-file';
import { type Engine, pageEngine, runtimeModel } from './runtime';
import { smallNetwork } from './small-network';

/** The driver cannot drive; the message says why, in words for the player. */
export class PolicyError extends Error {}

/** A network that is ready: an observation in, the three numbers of an action out. */
export interface Model {
  act(observation: Float64Array): ArrayLike<number> | Promise<ArrayLike<number>>;
  release(): Promise<void>;
}

/** What runs networks, each fetched when it is first needed; tests put their own in their place. */
export interface Engines {
  kernel(): Promise<NetworkKernel>;
  runtime(): Promise<Engine>;
}

export const PAGE_ENGINES: Engines = { kernel: pageKernel, runtime: pageEngine };

/** Refuse a driver that learned in another physics, or that the server found a fault with. */
export function problemOf(entry: PolicyEntry, fingerprint: string): string | null {
  if (entry.problem) return entry.problem;
  if (entry.fingerprint === fingerprint) return null;
  return (
    `${entry.name} learned in another physics (${entry.fingerprint.slice(0, 8)}) than this game's ` +
    `(${fingerprint.slice(0, 8)}). Train it again.`
  );
}

export class PolicyDriver {
  private constructor(
    readonly entry: PolicyEntry,
    private readonly model: Model,
  ) {}

  /** Load a driver for observations of a size; `file` gives the bytes of its model. */
  static async load(
    entry: PolicyEntry,
    size: number,
    file: () => Promise<ArrayBuffer>,
    engines: Engines = PAGE_ENGINES,
  ): Promise<PolicyDriver> {
    const bytes = await file().catch((error: unknown) => {
      throw new PolicyError(`${entry.name} could not be loaded: ${reasonOf(error)}`);
    });
    return new PolicyDriver(entry, await modelOf(entry, size, new Uint8Array(bytes), engines));
  }

  /** What a racing driver does when it sees this. */
  async decide(observation: Float64Array): Promise<Controls> {
    const [steer, throttle, brake] = await this.act(observation);
    return { steer, throttle, brake };
  }

  /** The three numbers of its action, in the order of its world. */
  async act(observation: Float64Array): Promise<[number, number, number]> {
    const action = await this.model.act(observation);
    return [action[0]!, action[1]!, action[2]!];
  }

  async release(): Promise<void> {
    await this.model.release();
  }
}

async function modelOf(entry: PolicyEntry, size: number, file: Uint8Array, engines: Engines): Promise<Model> {
  const network = smallNetwork(graphOf(entry, file));
  if (!network) return runtimeOf(entry, size, file, engines);
  if (network.sizes[0] !== size)
    throw new PolicyError(`${entry.name} sees ${network.sizes[0]} numbers, and this car shows ${size}.`);
  const kernel = await engines.kernel().catch((error: unknown) => {
    throw new PolicyError(`The AI cannot drive here: ${reasonOf(error)}`);
  });
  const loaded = await kernel.load(network);
  return { act: (observation) => loaded.act(observation), release: async () => {} };
}

function graphOf(entry: PolicyEntry, file: Uint8Array): Graph {
  try {
    return readGraph(file);
  } catch (error) {
    throw new PolicyError(`${entry.name} is not a driver: ${reasonOf(error)}.`);
  }
}

async function runtimeOf(
  entry: PolicyEntry,
  size: number,
  file: Uint8Array,
  engines: Engines,
): Promise<Model> {
  const engine = await engines.runtime().catch((error: unknown) => {
    throw new PolicyError(`The AI cannot drive here: onnxruntime did not load (${reasonOf(error)}).`);
  });
  return runtimeModel(engine, file, size).catch((error: unknown) => {
    throw new PolicyError(`${entry.name} is not a driver that onnxruntime understands (${reasonOf(error)}).`);
  });
}
