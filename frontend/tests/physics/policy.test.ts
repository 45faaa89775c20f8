import { describe, expect, it } from 'vitest';
import { readGraph } from '../../src/physics/onnx-file';
import { type Engines, PolicyDriver, problemOf } from '../../src/physics/policy';
import type { Engine } from '../../src/physics/runtime';
import { runtimeModel } from '../../src/physics/runtime';
import { smallNetwork } from '../../src/physics/small-network';
import { Grid } from '../../src/race/drivers';
import { Race } from '../../src/race/race';
import { IDLE } from '../../src/race/race-car';
import { aloneLayout, type PolicyEntry } from '../../src/site/data';
import { loadKernel, loadNetworkKernel, loadPolicies, loadTrack, siteBytes } from '../site';

const node = async () => (await import('onnxruntime-web')) as Engine;
const engines: Engines = { kernel: loadNetworkKernel, runtime: node };
const never = () => Promise.reject(new Error('not needed'));
const entry = { name: 'old', fingerprint: 'elsewhere', problem: null } as PolicyEntry;

describe('a driver', () => {
  it('of another physics is refused with the reason', () => {
    expect(problemOf(entry, 'physics')).toMatch(/old learned in another physics/);
    expect(problemOf({ ...entry, fingerprint: 'physics' }, 'physics')).toBeNull();
    expect(problemOf({ ...entry, fingerprint: 'physics', problem: 'torn file' }, 'physics')).toBe(
      'torn file',
    );
  });

  it('says why when the engine does not load', async () => {
    const bundled = loadPolicies().policies[0]!;
    const broken = { kernel: () => Promise.reject(new Error('blocked')), runtime: never };
    const file = async () => siteBytes(`policies/${bundled.key}.onnx`);
    const size = (await loadKernel()).file.layouts[aloneLayout(bundled.layout)].size;
    await expect(PolicyDriver.load(bundled, size, file, broken)).rejects.toThrow(
      /cannot drive here: blocked/,
    );
  });

  it('says why when its file is gone or not a driver', async () => {
    const gone = () => Promise.reject(new Error('404'));
    await expect(PolicyDriver.load(entry, 14, gone, engines)).rejects.toThrow(/old could not be loaded: 404/);
    const junk = async () => new TextEncoder().encode('junk').buffer as ArrayBuffer;
    await expect(PolicyDriver.load(entry, 14, junk, engines)).rejects.toThrow(/not a driver/);
  });

  it('that sees something else than the car shows is refused', async () => {
    const bundled = loadPolicies().policies[0]!;
    const file = async () => siteBytes(`policies/${bundled.key}.onnx`);
    await expect(PolicyDriver.load(bundled, 3, file, engines)).rejects.toThrow(/this car shows 3/);
  });
});

describe('a small network', () => {
  it('gives in the kernel what onnxruntime gives, for every driver that comes with the game', async () => {
    const kernel = await loadNetworkKernel();
    for (const { key, name } of loadPolicies().policies) {
      const file = new Uint8Array(siteBytes(`policies/${key}.onnx`));
      const network = smallNetwork(readGraph(file));
      expect(network, name).not.toBeNull();
      const ours = await kernel.load(network!);
      const theirs = await runtimeModel(await node(), file, network!.sizes[0]!);
      const { mean, scale } = network!;
      for (let trial = 0; trial < 50; trial++) {
        const drawn = Float64Array.from(mean, (_, k) => Math.sin(7 * trial + 3 * k));
        const usual = drawn.map((value, k) => mean[k]! + value / scale[k]!);
        // Sums of single precision in another order; far from what a driver knows they are of larger numbers.
        for (const [seen, most] of [
          [usual, 5e-6],
          [drawn, 2 ** -17],
        ] as const) {
          const wanted = Array.from(await theirs.act(seen));
          const given = Array.from(ours.act(seen));
          for (const [k, value] of wanted.entries()) {
            expect(Math.abs(given[k]! - value), name).toBeLessThanOrEqual(most);
          }
        }
      }
    }
  });

  it('is not found in a graph of another kind', () => {
    const [bundled] = loadPolicies().policies;
    const graph = readGraph(new Uint8Array(siteBytes(`policies/${bundled!.key}.onnx`)));
    expect(smallNetwork({ ...graph, nodes: graph.nodes.slice(0, -1) })).toBeNull();
    expect(smallNetwork({ ...graph, tensors: new Map() })).toBeNull();
    const odd = graph.nodes.map((node) =>
      node.op === 'Gemm' ? { ...node, attributes: { alpha: 2 } } : node,
    );
    expect(smallNetwork({ ...graph, nodes: odd })).toBeNull();
  });
});

describe('the drivers that come with the game', () => {
  it('drive clean laps on the tracks they were measured on, in the real physics', async () => {
    const { policies } = loadPolicies();
    const bundled = policies.find((one) => one.kind === 'bundled');
    expect(bundled, 'a driver comes with the game').toBeDefined();
    const kernel = await loadKernel();
    const size = kernel.file.layouts[aloneLayout(bundled!.layout)].size;
    const driver = await PolicyDriver.load(
      bundled!,
      size,
      async () => siteBytes(`policies/${bundled!.key}.onnx`),
      { kernel: loadNetworkKernel, runtime: never },
    );
    const fleet = await kernel.fleet(loadTrack(Object.keys(bundled!.laps)[0]!), 1);
    const race = new Race(
      fleet,
      [{ name: 'AI', kind: 'policy', colour: 0, layout: bundled!.layout, delay: 1 }],
      3,
      false,
    );
    const grid = new Grid(race, [driver]);
    for (let tick = 0; tick < 6000 && !race.finished; tick++) await grid.advance(IDLE);
    expect(grid.failures.size).toBe(0);
    expect(race.cars[0]!.laps.map((lap) => lap.clean)).toEqual([true, true, true]);
  });
});
