import { describe, expect, it } from 'vitest';
import { GRIP_LOOKAHEADS_M } from '../../src/physics/numbers';
import { Race } from '../../src/race/race';
import type { LayoutName } from '../../src/site/data';
import { acrossRoad, othersOf, sensesOf } from '../../src/view/senses';
import { loadKernel, loadRaceKernel, loadTrack } from '../site';

const kernel = await loadKernel();

async function raceOf(track: string, car: string, layout: LayoutName): Promise<Race> {
  const fleet = await kernel.fleet(loadTrack(track), 1, car);
  return new Race(fleet, [{ name: 'AI', kind: 'policy', colour: 0, layout, delay: 1 }], 1, false);
}

describe('what a driver sees', () => {
  it('is as wide at every spot of the road ahead as its observation says', async () => {
    const race = await raceOf('quarry', 'gt', 'grip');
    for (let tick = 0; tick < 90; tick++) race.advance([{ steer: 0, throttle: 1, brake: 0 }]);
    const [car] = race.cars;
    const { bars, rays } = sensesOf(race, car!, [car!.now]);
    const seen = race.fleet.observation(0, 'grip');
    expect([bars.length, rays.length]).toEqual([GRIP_LOOKAHEADS_M.length, 0]);
    const widths = bars.map(([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]));
    // The observation has half the width in tens of metres; lines are rounded for drawing, and cut corners of bends.
    for (const [k, width] of widths.entries())
      expect(Math.abs(width - 20 * seen[18 + 3 * k + 2]!)).toBeLessThan(0.5);
  });

  it('is nine rays of the classic driver, each ending where its observation says', async () => {
    const race = await raceOf('track-01', 'classic', 'classic');
    const [car] = race.cars;
    const { rays, bars } = sensesOf(race, car!, [car!.now]);
    const seen = race.fleet.observation(0, 'classic');
    expect([rays.length, bars.length]).toEqual([9, 0]);
    const reach = Math.hypot(rays[4]![0] - car!.now.x, rays[4]![1] - car!.now.y);
    expect(reach).toBeCloseTo(200 * seen[4]!, 9);
  });

  it('is the three cars ahead and the three behind, in a race', async () => {
    const races = await loadRaceKernel();
    const fleet = await races.fleet(loadTrack('track-01'), 8, 'classic', { laps: 1, seed: 7, slot: 7 });
    const entrant = { name: 'AI', kind: 'policy', colour: 0, layout: 'race-full', delay: 0 } as const;
    const race = new Race(fleet, Array(8).fill(entrant), 1, false);
    const slots = Array.from(fleet.contenders.slot!);
    for (const [number, slot] of slots.entries()) {
      const beside = othersOf(fleet, { number, entrant }).map((other) => slots[other]!);
      const expected = [-3, -2, -1, 1, 2, 3]
        .map((step) => slot + step)
        .filter((each) => each >= 0 && each < 8);
      expect(beside.sort()).toEqual(expected);
    }
    const senses = sensesOf(
      race,
      race.cars[0]!,
      race.cars.map(({ now }) => now),
    );
    expect(senses.others).toHaveLength(3);
  });

  it('goes on over the start line', () => {
    const { file } = loadTrack('track-01');
    expect(acrossRoad(file, file.length_u + 40)).toEqual(acrossRoad(file, 40));
  });
});
