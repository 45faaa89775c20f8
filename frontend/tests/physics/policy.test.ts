import { describe, expect, it } from 'vitest';
import { PolicyDriver, problemOf } from '../../src/physics/policy';
import { Grid, IDLE } from '../../src/race/drivers';
import { Race } from '../../src/race/race';
import type { PolicyEntry } from '../../src/site/data';
import { loadKernel, loadPolicies, loadTrack, siteBytes } from '../site';

const node = async () => (await import('onnxruntime-web')) as typeof import('onnxruntime-web');
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
    const broken = () => Promise.reject(new Error('blocked'));
    await expect(PolicyDriver.load(entry, 14, async () => new ArrayBuffer(0), broken)).rejects.toThrow(
      /onnxruntime did not load \(blocked\)/,
    );
  });

  it('says why when its file is gone or not a driver', async () => {
    const gone = () => Promise.reject(new Error('404'));
    await expect(PolicyDriver.load(entry, 14, gone, node)).rejects.toThrow(/old could not be loaded: 404/);
    const junk = async () => new TextEncoder().encode('junk').buffer as ArrayBuffer;
    await expect(PolicyDriver.load(entry, 14, junk, node)).rejects.toThrow(/not a driver/);
  });
});

describe('the drivers that come with the game', () => {
  it('drive clean laps on the tracks they were measured on, in the real physics', async () => {
    const { policies } = loadPolicies();
    const bundled = policies.find((one) => one.kind === 'bundled');
    expect(bundled, 'a driver comes with the game').toBeDefined();
    const kernel = await loadKernel();
    const size = kernel.file.layouts[bundled!.layout].size;
    const driver = await PolicyDriver.load(
      bundled!,
      size,
      async () => siteBytes(`policies/${bundled!.key}.onnx`),
      node,
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
