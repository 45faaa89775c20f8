import { describe, expect, it } from 'vitest';
import { LevelDriver, levelOf, nextLevel } from '../../src/race/levels';
import { FOLLOWS, FULL_STRENGTH, MIXED_LEVELS } from '../../src/site/settings';
import { loadPolicies } from '../site';

const LEVELS = 5;
/** Steers by the first number it sees, with full throttle. */
const follower = { decide: (seen: Float64Array) => ({ steer: seen[0]!, throttle: 1, brake: 0.5 }) };

async function steers(late_ticks: number, shown: number[]): Promise<number[]> {
  const driver = new LevelDriver(follower, { late_ticks, throttle: 0.26 });
  const memory = new Float64Array(1); // the kernel's own, written anew in every tick
  const found: number[] = [];
  for (const value of shown) {
    memory[0] = value;
    found.push((await driver.decide(memory)).steer);
  }
  return found;
}

describe('a driver at a level', () => {
  it('acts on what it saw some ticks ago, and at first on the first it saw', async () => {
    expect(await steers(0, [1, 2, 3])).toEqual([1, 2, 3]);
    expect(await steers(2, [1, 2, 3, 4, 5])).toEqual([1, 1, 1, 2, 3]);
  });

  it('gives its share of the throttle, and brakes as ever', async () => {
    const driver = new LevelDriver(follower, { late_ticks: 0, throttle: 0.26 });
    expect(await driver.decide(new Float64Array([0]))).toEqual({ steer: 0, throttle: 0.26, brake: 0.5 });
  });

  it('comes with the drivers, the weakest level first', () => {
    const { levels } = loadPolicies();
    expect(levels).toHaveLength(LEVELS);
    for (const [place, { throttle }] of levels.slice(1).entries())
      expect(throttle).toBeGreaterThan(levels[place]!.throttle);
  });
});

describe('the strength of opponents', () => {
  const at = (strength: number, level = 1, opponent = 0) => levelOf({ strength, level }, LEVELS, opponent);

  it('is a level, or none where they drive as they learned', () => {
    expect(at(3)).toBe(3);
    expect(at(FULL_STRENGTH)).toBeNull();
    expect(at(9)).toBeNull();
  });

  it('follows the player, up to all that they can', () => {
    expect(at(FOLLOWS, 4)).toBe(4);
    expect(at(FOLLOWS, LEVELS + 1)).toBeNull();
  });

  it('is all levels in turn in a mixed field, the strongest first', () => {
    expect([0, 1, 2, 3, 4, 5].map((opponent) => at(MIXED_LEVELS, 1, opponent))).toEqual([5, 4, 3, 2, 1, 5]);
    expect(levelOf({ strength: MIXED_LEVELS, level: 1 }, 0)).toBeNull();
  });
});

describe('rivals that follow the player', () => {
  it('get stronger with a win, weaker with a place in the second half, and stay otherwise', () => {
    expect(nextLevel(2, 1, 8, LEVELS)).toBe(3);
    expect(nextLevel(2, 4, 8, LEVELS)).toBe(2);
    expect(nextLevel(2, 5, 8, LEVELS)).toBe(1);
    expect(nextLevel(2, 2, 2, LEVELS)).toBe(1);
  });

  it('are never weaker than the first level, nor stronger than they learned to be', () => {
    expect(nextLevel(1, 8, 8, LEVELS)).toBe(1);
    expect(nextLevel(LEVELS + 1, 1, 8, LEVELS)).toBe(LEVELS + 1);
  });
});
