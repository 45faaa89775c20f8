import { describe, expect, it } from 'vitest';
import { Wheel } from '../../src/highway/wheel';
import type { PolicyDriver } from '../../src/physics/policy';
import type { PolicyEntry, PolicyList } from '../../src/site/data';
import { decisions, driving, type Told } from './roads';

async function wheelOf(told: Told) {
  const loads: string[] = [];
  const released: string[] = [];
  const load = async (entry: PolicyEntry) => {
    loads.push(entry.key);
    if (entry.name === 'torn') throw new Error('torn is not a driver that onnxruntime understands.');
    return {
      act: async () => [0.2, 0, 0],
      release: async () => void released.push(entry.key),
    } as unknown as PolicyDriver;
  };
  return { wheel: new Wheel(told.drive, load), loads, released };
}

function listOf(fingerprint: string, ...parts: Partial<PolicyEntry>[]): PolicyList {
  const policies = parts.map(
    (part) =>
      ({
        kind: 'best',
        run: 'r',
        name: 'pupil',
        fingerprint,
        score: [],
        trained_s: null,
        problem: null,
        ...part,
      }) as PolicyEntry,
  );
  const runs = [{ key: 'r', name: 'pupil', state: 'training' }] as PolicyList['runs'];
  return { runs, policies, levels: [] };
}

describe('the wheel', () => {
  it('goes to a newer self of the chosen driver without anybody asking, and the old one is let go', async () => {
    const told = await driving(1, 5);
    const { wheel, loads, released } = await wheelOf(told);
    const { fingerprint } = told.drive.road.file;
    await wheel.update(listOf(fingerprint, { key: 'a', step: 1000 }), 'best:r');
    expect(told.drive.driverName).toBe('pupil · 1k');
    expect(await wheel.update(listOf(fingerprint, { key: 'a', step: 1000 }), 'best:r')).toBe(false);
    expect(await wheel.update(listOf(fingerprint, { key: 'b', step: 2000 }), 'best:r')).toBe(true);
    expect([told.drive.driverName, loads, released]).toEqual(['pupil · 2k', ['a', 'b'], ['a']]);
  });

  it('follows the newest checkpoint of a run in training', async () => {
    const told = await driving(1, 5);
    const { wheel } = await wheelOf(told);
    const { fingerprint } = told.drive.road.file;
    const checkpoint = (key: string, step: number) => ({ key, step, kind: 'checkpoint' as const });
    await wheel.update(listOf(fingerprint), 'newest:r');
    expect(told.drive.fallback).toMatch(/no checkpoint yet/);
    await wheel.update(listOf(fingerprint, checkpoint('a', 1000)), 'newest:r');
    expect(told.drive.fallback).toBeNull();
    await wheel.update(listOf(fingerprint, checkpoint('a', 1000), checkpoint('b', 3000)), 'newest:r');
    expect(told.drive.driverName).toBe('pupil · 3k');
    expect(wheel.choices().map(({ value }) => value)).toEqual(['expert', 'newest:r', 'a', 'b']);
  });

  it('goes to the expert, with the reason, when a driver cannot be loaded or is gone', async () => {
    const told = await driving(1, 5);
    const { wheel } = await wheelOf(told);
    const { fingerprint } = told.drive.road.file;
    await wheel.update(listOf(fingerprint, { key: 'a', step: 1, name: 'torn' }), 'best:r');
    expect(told.drive.fallback).toMatch(/torn is not a driver/);
    await decisions(told.drive, 3);
    expect(told.drive.time_s).toBeCloseTo(0.6);
    await wheel.update(listOf(fingerprint), 'checkpoint-that-was');
    expect(told.drive.fallback).toMatch(/gone/);
    await wheel.choose('expert');
    expect(told.drive.fallback).toBeNull();
  });

  it('is offered to who can drive here: another physics is named as the problem', async () => {
    const told = await driving(1, 5);
    const { wheel } = await wheelOf(told);
    const list = listOf('elsewhere', { key: 'a', step: 1 });
    expect(wheel.usualOf(list, 'r')).toBe('expert');
    await wheel.update(list, 'expert');
    expect(wheel.choices()[2]!.problem).toMatch(/another physics/);
    const able = listOf(told.drive.road.file.fingerprint, { key: 'a', step: 1 });
    expect(wheel.usualOf(able, null)).toBe('best:r');
  });

  it('is first for the run the server was started with, then for whom an earlier visit chose', async () => {
    const told = await driving(1, 5);
    const { wheel } = await wheelOf(told);
    const named = { key: 'b', run: 'named', step: 1 };
    const list = listOf(told.drive.road.file.fingerprint, { key: 'a', step: 1 }, named);
    expect(wheel.usualOf(list, 'named', 'expert')).toBe('best:named');
    expect(wheel.usualOf(list, null, 'best:named')).toBe('best:named');
    expect(wheel.usualOf(list, 'of-another-world', 'newest:r')).toBe('newest:r');
    expect(wheel.usualOf(list, null, 'checkpoint-that-was')).toBe('best:r');
  });

  it('goes to the best evaluated driver rather than to that of the newest run or the bundled one', async () => {
    const told = await driving(1, 5);
    const { wheel } = await wheelOf(told);
    const list = listOf(
      told.drive.road.file.fingerprint,
      { key: 'a', run: 'newest', score: [40, 9] },
      { key: 'b', run: 'better', score: [90, 1] },
      { key: 'c', run: 'best', score: [90, 2] },
      { key: 'd', run: null, kind: 'bundled', name: 'motorist' },
    );
    expect(wheel.usualOf(list, null)).toBe('best:best');
    const bundled = { ...list, runs: [], policies: list.policies.slice(3) };
    expect(wheel.usualOf(bundled, null)).toBe('d');
  });
});
