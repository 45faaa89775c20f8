import { beforeAll, describe, expect, it } from 'vitest';
import type { Kernel } from '../../src/physics/kernel';
import { MOST_MOMENTS, Moments } from '../../src/race/moments';
import { emptyPose } from '../../src/race/poses';
import { Race } from '../../src/race/race';
import type { Entrant } from '../../src/race/race-car';
import { Recording } from '../../src/race/recording';
import { Replay } from '../../src/race/replay';
import { loadKernel, loadTrack } from '../site';
import { chauffeur } from './chauffeur';

const track = loadTrack('track-01');
const you: Entrant = { name: 'You', kind: 'human', colour: 0, layout: 'classic', delay: 0 };
let kernel: Kernel;

beforeAll(async () => {
  kernel = await loadKernel();
});

/** A race of two with its recording, and where the first car was in every tick. */
async function recorded(ticks: number) {
  const race = new Race(await kernel.fleet(track, 2), [you, { ...you, kind: 'policy' }], 1, false);
  const recording = new Recording(2);
  const moments = new Moments();
  const places: [number, number][] = [];
  const keep = () => {
    recording.add(race.cars.map((car) => car.now));
    places.push([race.cars[0]!.now.x, race.cars[0]!.now.y]);
  };
  keep();
  while (race.tick < ticks && !race.finished) {
    const strays = race.tick > 200 && race.tick < 240;
    const off = { steer: -0.4, throttle: 0.5, brake: 0 };
    race.advance(race.cars.map((car) => (strays ? off : chauffeur(track, car.now))));
    for (const event of race.events.splice(0)) moments.note(event, race.tick);
    moments.watch(race);
    keep();
  }
  return { race, recording, moments: moments.all, places };
}

describe('a recording', () => {
  it('has every car in every second tick as it was drawn', async () => {
    const { recording, places } = await recorded(700);
    for (const tick of [0, 2, 598, 600, 700]) {
      const pose = recording.read(tick, 0, emptyPose());
      expect(pose.x).toBeCloseTo(places[tick]![0], 3);
      expect(pose.y).toBeCloseTo(places[tick]![1], 3);
    }
  });

  it('keeps the last minutes of a race that does not end, in four megabytes', () => {
    const recording = new Recording(8);
    const poses = Array.from({ length: 8 }, () => emptyPose());
    for (let tick = 0; tick < 60_000; tick++) {
      poses[3]!.x = tick;
      recording.add(poses);
    }
    expect(recording.bytes).toBeLessThanOrEqual(4_000_000);
    expect(recording.last - recording.first).toBeGreaterThan(5 * 60 * 60);
    expect(recording.read(recording.first, 3, emptyPose()).x).toBe(recording.first);
    expect(recording.read(0, 3, emptyPose()).x).toBe(recording.first);
    expect(recording.read(60_000, 3, emptyPose()).x).toBe(59_998);
  });
});

describe('moments', () => {
  it('mark cars off the road once, laps and the finish, at their ticks', async () => {
    const { race, moments } = await recorded(20_000);
    const kinds = moments.filter(({ car }) => car === 0).map(({ kind }) => kind);
    expect(kinds).toEqual(['off', 'lap', 'finish']);
    expect(moments.find(({ kind, car }) => kind === 'finish' && car === 0)!.tick).toBe(
      race.cars[0]!.finishTick,
    );
  });

  it('tell a contact once, and only one that is felt', () => {
    const moments = new Moments();
    moments.note({ type: 'contact', car: 1, other: 2, jolt: 4, fault: 'own' }, 10);
    moments.note({ type: 'contact', car: 2, other: 1, jolt: 4, fault: 'other' }, 10);
    moments.note({ type: 'contact', car: 1, other: 2, jolt: 0.1, fault: 'own' }, 90);
    expect(moments.all).toEqual([{ tick: 10, kind: 'contact', car: 1, other: 2 }]);
  });

  it('are forgotten from the oldest on when there are too many', () => {
    const moments = new Moments();
    for (let tick = 0; tick < MOST_MOMENTS + 5; tick++)
      moments.note({ type: 'pass', car: 0, other: 1 }, tick);
    expect(moments.all).toHaveLength(MOST_MOMENTS);
    expect(moments.all[0]!.tick).toBe(5);
  });
});

describe('a replay', () => {
  it('shows the race at any speed, stops at its end, and goes to any moment', async () => {
    const { race, recording, moments, places } = await recorded(600);
    const replay = new Replay(race, recording, moments);
    expect(replay.advance(1)).toBe(60);
    expect(replay.cars[0]!.before.x).toBeCloseTo(places[60]![0], 3);
    replay.speed = 0.1;
    for (let frame = 0; frame < 60; frame++) replay.advance(1 / 60);
    expect(replay.tick).toBeLessThanOrEqual(66);
    replay.seek(66);
    replay.advance(1 / 6);
    expect(replay.share).toBeCloseTo(0.5, 6);
    replay.seek(300);
    expect(replay.cars[0]!.now.y).toBeCloseTo(places[302]![1], 3);
    replay.speed = 4;
    replay.advance(10);
    expect([replay.tick, replay.playing]).toEqual([600, false]);
    expect(replay.advance(1)).toBe(0);
    replay.seek(-5);
    expect(replay.tick).toBe(0);
  });
});
