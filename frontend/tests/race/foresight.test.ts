import { describe, expect, it } from 'vitest';
import { PolicyDriver } from '../../src/physics/policy';
import { Grid } from '../../src/race/drivers';
import { AHEAD_S, Foresight, stillAhead } from '../../src/race/foresight';
import { LevelDriver } from '../../src/race/levels';
import { Race } from '../../src/race/race';
import type { Entrant } from '../../src/race/race-car';
import type { PolicyEntry } from '../../src/site/data';
import { loadKernel, loadNetworkKernel, loadPolicies, loadRaceKernel, loadTrack, siteBytes } from '../site';

const kernel = await loadKernel();
const engines = { kernel: loadNetworkKernel, runtime: () => Promise.reject(new Error('not needed')) };
const AHEAD_TICKS = 60 * AHEAD_S;
const IDLE = { steer: 0, throttle: 0, brake: 0 };

function entryOf(layout: string): PolicyEntry {
  return loadPolicies().policies.find((entry) => entry.layout === layout)!;
}

async function driverOf(entry: PolicyEntry, size: number): Promise<PolicyDriver> {
  return PolicyDriver.load(entry, size, async () => siteBytes(`policies/${entry.key}.onnx`), engines);
}

function seatOf({ layout }: PolicyEntry, delay: 0 | 1): Entrant {
  return { name: 'AI', kind: 'policy', colour: 0, layout, delay };
}

describe('what a driver expects', () => {
  it.each([
    ['track-01', 'classic', 'classic'],
    ['quarry', 'gt', 'grip-car'],
  ])('is where it is two seconds later, to the bit, on %s', async (track, car, layout) => {
    const entry = entryOf(layout);
    const driver = await driverOf(entry, kernel.file.layouts[layout as 'classic'].size);
    const race = new Race(await kernel.fleet(loadTrack(track), 1, car), [seatOf(entry, 1)], 0, false);
    const grid = new Grid(race, [driver]);
    for (let tick = 0; tick < 200; tick++) await grid.advance(IDLE);
    const foresight = new Foresight(await kernel.fleet(loadTrack(track), 1, car));
    const thinker = { number: 0, entrant: race.cars[0]!.entrant, driver };
    const before = race.fleet.state.x_u![0]!;
    while (!foresight.expected) await foresight.think(race.fleet, thinker);
    expect(race.fleet.state.x_u![0]).toBe(before);
    expect(stillAhead(foresight.expected).length).toBeLessThan(foresight.expected.path.length);
    for (let tick = 0; tick < AHEAD_TICKS; tick++) await grid.advance(IDLE);
    const { x, y, speed } = race.cars[0]!.now;
    expect(foresight.expected.path.at(-1)).toEqual([x, y]);
    expect(foresight.expected.speed).toBe(speed);
    expect(foresight.expected.gained).toBeGreaterThan(0);
  });

  it('is thought without touching what a driver at a level remembers', async () => {
    const entry = entryOf('classic');
    const driver = await driverOf(entry, kernel.file.layouts.classic.size);
    const level = { level: 1, throttle: 0.9, late_ticks: 3 } as ConstructorParameters<typeof LevelDriver>[1];
    const places = [false, true].map(async (thinks) => {
      const race = new Race(await kernel.fleet(loadTrack('track-01'), 1), [seatOf(entry, 1)], 0, false);
      const late = new LevelDriver(driver, level);
      const grid = new Grid(race, [late]);
      const foresight = new Foresight(await kernel.fleet(loadTrack('track-01'), 1));
      for (let tick = 0; tick < 120; tick++) {
        await grid.advance(IDLE);
        if (thinks)
          await foresight.think(race.fleet, { number: 0, entrant: race.cars[0]!.entrant, driver: late });
      }
      return [race.cars[0]!.now.x, race.cars[0]!.now.y];
    });
    expect((await Promise.all(places))[0]).toEqual((await Promise.all(places))[1]);
  });

  it('counts the others of a race as staying beside it', async () => {
    const entry = entryOf('race-full');
    const races = await loadRaceKernel();
    const driver = await driverOf(entry, races.file.layouts['race-full'].size);
    const fleet = await races.fleet(loadTrack('track-01'), 8, 'classic', { laps: 1, seed: 7, slot: 7 });
    const race = new Race(fleet, Array(8).fill(seatOf(entry, 0)), 1, false);
    const grid = new Grid(race, Array(8).fill(driver));
    for (let tick = 0; tick < 60; tick++) await grid.advance(IDLE);
    const foresight = new Foresight(await kernel.fleet(loadTrack('track-01'), 1));
    const thinker = { number: 3, entrant: race.cars[3]!.entrant, driver };
    while (!foresight.expected) await foresight.think(fleet, thinker);
    const { path, gained, leavesRoad } = foresight.expected;
    expect(path[0]).toEqual([race.cars[3]!.now.x, race.cars[3]!.now.y]);
    expect(gained).toBeGreaterThan(50);
    expect(leavesRoad).toBe(false);
  });
});
