import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lineUp, personSeat } from '../../src/game/line-up';
import { type Plan, Stage } from '../../src/game/stage';
import type { Kernel } from '../../src/physics/kernel';
import type { Driver } from '../../src/race/drivers';
import type { Garage } from '../../src/race/garage';
import type { Entrant } from '../../src/race/race-car';
import { DEFAULTS } from '../../src/site/settings';
import { HANDS_OFF } from '../../src/ui/input';
import { loadKernel, loadTrack } from '../site';

const SEEING = { ...DEFAULTS, showRays: true };
const NOTHING = { togglePause: false, restart: false, quitToMenu: false };
const plan = (laps: number): Plan => ({
  track: 'track-01',
  car: 'classic',
  line: lineUp([personSeat({ ...DEFAULTS, name: 'Ada' }, kernel.car('classic'))]),
  laps,
  counts: true,
});
let kernel: Kernel;
let stage: Stage;

beforeAll(async () => {
  kernel = await loadKernel();
});

beforeEach(() => {
  const garage = { kernel, track: async (id: string) => loadTrack(id) } as unknown as Garage;
  stage = new Stage(garage);
});

describe('the stage', () => {
  it('puts a race on the track and tells of it', async () => {
    const told: number[] = [];
    stage.onBegin = (race) => told.push(race.targetLaps);
    expect(await stage.begin(plan(3), stage.wish())).toBe(true);
    expect(told).toEqual([3]);
    expect(stage.followed?.entrant.name).toBe('Ada');
    expect(stage.race?.controller.phase).toBe('countdown');
  });

  it('drops what arrives after something else was asked for', async () => {
    const first = stage.begin(plan(1), stage.wish());
    const second = stage.begin(plan(5), stage.wish());
    expect([await first, await second]).toEqual([false, true]);
    expect(stage.race?.targetLaps).toBe(5);
  });

  it('begins anew with the same cars and without a countdown', async () => {
    expect(await stage.restart()).toBe(false);
    await stage.begin(plan(3), stage.wish());
    const before = stage.race;
    for (let tick = 0; tick < 10; tick++) await stage.tick(HANDS_OFF, DEFAULTS, NOTHING);
    expect(await stage.restart()).toBe(true);
    expect(stage.race).not.toBe(before);
    expect(stage.race?.tick).toBe(0);
    expect(stage.race?.controller.phase).toBe('racing');
    expect(stage.race?.targetLaps).toBe(3);
  });

  it('lets a recorded drive take the wheel, from the first tick of every start', async () => {
    stage.driveFrom(btoa(String.fromCharCode(128, 255, 0).repeat(60)));
    await stage.begin({ ...plan(0), counts: false }, stage.wish());
    const speeds: number[] = [];
    for (let start = 0; start < 2; start++) {
      for (let tick = 0; tick < 60; tick++) await stage.tick(HANDS_OFF, DEFAULTS, NOTHING);
      speeds.push(stage.followed!.now.speed);
      await stage.restart();
    }
    expect(speeds[0]).toBeGreaterThan(10);
    expect(speeds[1]).toBe(speeds[0]);
  });

  it('lets the machine think ahead while its senses are shown, and forgets it when they are not', async () => {
    await stage.begin(withMachine({ decide: () => ({ steer: 0, throttle: 1, brake: 0 }) }), stage.wish());
    for (let tick = 0; tick < 30; tick++) await stage.tick(HANDS_OFF, SEEING, NOTHING);
    expect(stage.expected?.gained).toBeGreaterThan(0);
    await stage.tick(HANDS_OFF, DEFAULTS, NOTHING);
    expect(stage.expected).toBeNull();
  });

  it('goes on when a machine fails while it thinks ahead', async () => {
    let asked = 0;
    const decide = () => {
      asked += 1;
      if (asked > 5) throw new Error('tired');
      return { steer: 0, throttle: 1, brake: 0 };
    };
    await stage.begin(withMachine({ decide }), stage.wish());
    for (let tick = 0; tick < 10; tick++) await stage.tick(HANDS_OFF, SEEING, NOTHING);
    expect(stage.race?.tick).toBe(10);
    expect(stage.grid?.failures.get(0)).toBe('tired');
    expect(stage.expected).toBeNull();
  });
});

/** A race of one machine, without a countdown. */
function withMachine(driver: Driver): Plan {
  const entrant: Entrant = { name: 'AI', kind: 'policy', colour: 0, layout: 'classic', delay: 0 };
  return { ...plan(0), line: lineUp([{ entrant, driver: () => driver }]), counts: false };
}
