import { describe, expect, it } from 'vitest';
import { Race } from '../../src/race/race';
import type { LayoutName } from '../../src/site/data';
import { acrossRoad, GRIP_LOOKAHEADS_M, sensesOf } from '../../src/view/senses';
import { loadKernel, loadTrack } from '../site';

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
    const { bars, rays } = sensesOf(race, car!, car!.now);
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
    const { rays, bars } = sensesOf(race, car!, car!.now);
    const seen = race.fleet.observation(0, 'classic');
    expect([rays.length, bars.length]).toEqual([9, 0]);
    const reach = Math.hypot(rays[4]![0] - car!.now.x, rays[4]![1] - car!.now.y);
    expect(reach).toBeCloseTo(200 * seen[4]!, 9);
  });

  it('goes on over the start line', () => {
    const { file } = loadTrack('track-01');
    expect(acrossRoad(file, file.length_u + 40)).toEqual(acrossRoad(file, 40));
  });
});
