/** A trained driver: `policy.onnx` in onnxruntime, loaded only when a machine is to drive. */
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import type { PolicyEntry } from '../site/data';
import { reasonOf } from '../site/reasons';
import type { Controls } from './kernel';

type Engine = typeof import('onnxruntime-web');

/** The driver cannot drive; the message says why, in words for the player. */
export class PolicyError extends Error {}

/** How to get the inference engine; tests put their own in its place. */
export type EngineLoader = () => Promise<Engine>;

let engine: Promise<Engine> | null = null;

/** onnxruntime's WebAssembly build, from beside the page, with one thread. */
export function pageEngine(): Promise<Engine> {
  engine ??= import('onnxruntime-web/wasm').then((module) => {
    module.env.wasm.numThreads = 1;
    module.env.wasm.proxy = false;
    module.env.logLevel = 'error';
    return module as unknown as Engine;
  });
  engine.catch(() => {
    engine = null;
  });
  return engine;
}

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
  private readonly input: Float32Array;

  private constructor(
    readonly entry: PolicyEntry,
    private readonly session: InferenceSession,
    private readonly engine: Engine,
    size: number,
  ) {
    this.input = new Float32Array(size);
  }

  /** Load a driver; `model` gives the bytes of its file. */
  static async load(
    entry: PolicyEntry,
    size: number,
    model: () => Promise<ArrayBuffer>,
    loader: EngineLoader = pageEngine,
  ): Promise<PolicyDriver> {
    const engine = await loader().catch((error: unknown) => {
      throw new PolicyError(`The AI cannot drive here: onnxruntime did not load (${reasonOf(error)}).`);
    });
    const bytes = await model().catch((error: unknown) => {
      throw new PolicyError(`${entry.name} could not be loaded: ${reasonOf(error)}`);
    });
    try {
      const session = await engine.InferenceSession.create(new Uint8Array(bytes), {
        executionProviders: ['wasm'],
        graphOptimizationLevel: 'all',
        intraOpNumThreads: 1,
      });
      return new PolicyDriver(entry, session, engine, size);
    } catch (error) {
      throw new PolicyError(
        `${entry.name} is not a driver that onnxruntime understands (${reasonOf(error)}).`,
      );
    }
  }

  /** What a racing driver does when it sees this. */
  async decide(observation: Float64Array): Promise<Controls> {
    const [steer, throttle, brake] = await this.act(observation);
    return { steer, throttle, brake };
  }

  /** The three numbers of its action, in the order of its world. */
  async act(observation: Float64Array): Promise<[number, number, number]> {
    this.input.set(observation);
    const observed = new this.engine.Tensor('float32', this.input, [1, this.input.length]);
    const { action } = (await this.session.run({ observation: observed })) as { action: Tensor };
    const [first, second, third] = action.data as Float32Array;
    action.dispose();
    return [first!, second!, third!];
  }

  async release(): Promise<void> {
    await this.session.release();
  }
}
