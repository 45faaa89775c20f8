import { beforeAll, describe, expect, it } from 'vitest';
import type { Kernel } from '../../src/physics/kernel';
import { KeySteering, roadSteer } from '../../src/race/key-steering';
import { Race } from '../../src/race/race';
import type { Entrant } from '../../src/race/race-car';
import { loadKernel, loadTrack } from '../site';
import { chauffeur } from './chauffeur';

const track = loadTrack('track-01');
const you: Entrant = { name: 'You', kind: 'human', colour: 0, layout: 'classic', delay: 0 };
const usual = { sensitivity: 1 };
const TICK_S = 1 / 60;
let kernel: Kernel;

beforeAll(async () => {
  kernel = await loadKernel();
});

async function newRace(): Promise<Race> {
  return new Race(await kernel.fleet(track, 1), [you], 0, false);
}

/** The straight of the track at full speed, one key held for `held` ticks, in degrees turned after a second. */
async function turnedBy(held: number): Promise<number> {
  const race = await newRace();
  const human = race.human!;
  while (human.now.speed < 159) race.advance([chauffeur(track, human.now, 160)]);
  const wheel = new KeySteering();
  const [before, straight] = [human.now.heading, await turnedWithoutKeys()];
  for (let tick = 0; tick < 30; tick++) {
    const steer = wheel.advance(tick < held ? 1 : 0, 1, TICK_S, usual);
    race.advance([{ steer, throttle: 1, brake: 0 }]);
  }
  return Math.abs(((before - human.now.heading - straight) * 180) / Math.PI);
}

async function turnedWithoutKeys(): Promise<number> {
  const race = await newRace();
  const human = race.human!;
  while (human.now.speed < 159) race.advance([chauffeur(track, human.now, 160)]);
  const before = human.now.heading;
  for (let tick = 0; tick < 30; tick++) race.advance([{ steer: 0, throttle: 1, brake: 0 }]);
  return before - human.now.heading;
}

describe('keys', () => {
  it('turn the car by a few degrees when tapped for 50 ms at full speed', async () => {
    const degrees = await turnedBy(3);
    expect(degrees).toBeGreaterThan(1);
    expect(degrees).toBeLessThan(6);
  });

  it('reach full lock when held, later at speed than at rest, sooner when more sensitive', () => {
    const ticksToLock = (pace: number, sensitivity: number) => {
      const wheel = new KeySteering();
      let ticks = 1;
      while (wheel.advance(1, pace, TICK_S, { sensitivity }) < 1) ticks += 1;
      return ticks;
    };
    expect(ticksToLock(0, 1)).toBeLessThanOrEqual(6);
    expect(ticksToLock(1, 1)).toBeGreaterThan(2 * ticksToLock(0, 1));
    expect(ticksToLock(1, 2)).toBeLessThan(ticksToLock(1, 1));
  });

  it('bring the wheel back when let go, and straight to the other side when the other key is pressed', () => {
    const wheel = new KeySteering();
    for (let tick = 0; tick < 60; tick++) wheel.advance(1, 1, TICK_S, usual);
    expect(wheel.advance(0, 1, TICK_S, usual)).toBeLessThan(1);
    for (let tick = 0; tick < 60; tick++) wheel.advance(-1, 1, TICK_S, usual);
    expect(wheel.advance(-1, 1, TICK_S, usual)).toBe(-1);
    wheel.reset();
    expect(wheel.advance(0, 1, TICK_S, usual)).toBe(0);
  });
});

describe('steering help', () => {
  it('keeps a car whose driver only works the pedals on the road for a lap', async () => {
    const race = await newRace();
    const human = race.human!;
    for (let tick = 0; tick < 3000 && human.laps.length === 0; tick++) {
      const steer = roadSteer(human.now, race.fleet.state.arc_u![0]!, track.file);
      race.advance([{ steer, throttle: human.now.speed < 70 ? 1 : 0, brake: 0 }]);
    }
    expect(human.laps[0]?.clean).toBe(true);
  });
});
