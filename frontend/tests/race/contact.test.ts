import { beforeAll, describe, expect, it } from 'vitest';
import type { RaceKernel } from '../../src/physics/race-kernel';
import { Grid } from '../../src/race/drivers';
import type { RaceEvent } from '../../src/race/events';
import { FIELD_WAIT_TICKS, Race } from '../../src/race/race';
import type { Entrant } from '../../src/race/race-car';
import { IDLE } from '../../src/race/race-car';
import type { SeenLayout } from '../../src/site/data';
import { loadRaceKernel, loadTrack } from '../site';
import { chauffeur } from './chauffeur';

const track = loadTrack('track-01');
const machine = (name: string, layout: SeenLayout = 'classic'): Entrant => ({
  ...{ name, kind: 'policy', colour: 0, layout, delay: 0 },
});
const you: Entrant = { ...machine('You'), kind: 'human' };
const field = (count: number) => Array.from({ length: count }, (_, n) => machine(`AI ${n}`));
const ASK = { togglePause: false, restart: false, quitToMenu: false };
const PACES = [140, 60, 80, 100, 110, 120, 130, 90];
let kernel: RaceKernel;

beforeAll(async () => {
  kernel = await loadRaceKernel();
});

async function newRace(entrants: Entrant[], laps = 1, slot = -1, seed = 5): Promise<Race> {
  const fleet = await kernel.fleet(track, entrants.length, 'classic', { laps, seed, slot });
  return new Race(fleet, entrants, laps, false);
}

function run(race: Race, ticks = 20_000, paces = PACES): RaceEvent[] {
  for (let tick = 0; tick < ticks && !race.finished; tick++)
    race.advance(race.cars.map((car) => chauffeur(track, car.now, paces[car.number])));
  return race.events;
}

const slots = (race: Race) => Array.from(race.contact!.contenders.slot!);

describe('the grid of a race with contact', () => {
  it('puts the first car where it was asked to start, and draws the others by the seed', async () => {
    const [last, first] = [await newRace(field(8), 1, 7), await newRace(field(8), 1, 0)];
    expect([slots(last)[0], slots(first)[0]]).toEqual([7, 0]);
    expect([...slots(last)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(slots(await newRace(field(8), 1, 7))).toEqual(slots(last));
    expect(slots(await newRace(field(8), 1, 7, 6))).not.toEqual(slots(last));
    expect(last.standings().map((car) => slots(last)[car.number])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('cars that touch', () => {
  it('say so once for both, with a jolt and whose fault it was', async () => {
    const contacts = run(await newRace(field(8), 1, 7), 600).filter((event) => event.type === 'contact');
    expect(contacts.length).toBeGreaterThan(2);
    const [first] = contacts;
    const back = contacts.find((event) => event.car === first!.other && event.other === first!.car);
    const mirrored = { own: 'other', other: 'own', both: 'both', nobody: 'nobody' };
    expect(back!.fault).toBe(mirrored[first!.fault]);
    expect(first!.jolt).toBeGreaterThan(0);
    expect(contacts.some(({ fault }) => fault === 'own')).toBe(true);
  });

  it('pass each other, and the pass names both', async () => {
    const race = await newRace(field(8), 3, 7);
    const events = run(race, 290, [140, 0, 0, 0, 0, 0, 0, 0]);
    const passes = events.filter((event) => event.type === 'pass');
    expect(passes.length).toBeGreaterThan(0);
    expect(passes.every(({ car, other }) => car !== other)).toBe(true);
    const counted = Array.from(race.contact!.contenders.overtakes!).reduce((sum, count) => sum + count, 0);
    expect(passes.length).toBe(counted);
  });

  it('drive the same race whatever else drivers are shown', async () => {
    const layouts: SeenLayout[] = ['classic', 'full', 'race-full', 'race-classic'];
    const plain = await newRace(field(4));
    const mixed = await newRace(layouts.map((layout, n) => machine(`AI ${n}`, layout)));
    run(plain, 500);
    run(mixed, 500);
    expect(mixed.cars.map((car) => car.now)).toEqual(plain.cars.map((car) => car.now));
    expect(mixed.events).toEqual(plain.events);
  });

  it('are seen by drivers of races: the road as alone, then the nearest cars along the lap', async () => {
    const race = await newRace([machine('one', 'race-full'), machine('two'), machine('three')], 1, 2);
    run(race, 30, [50, 50, 50]);
    const seen = race.fleet.observation(0, 'race-full');
    expect(seen).toHaveLength(95);
    expect([...seen.subarray(0, 59)]).toEqual([...race.fleet.observation(0, 'full')]);
    const { distance_u } = race.contact!.contenders;
    const ahead = [1, 2].map((car) => distance_u![car]! - distance_u![0]!).sort((a, b) => a - b);
    expect(seen[59]! * 120).toBeCloseTo(ahead[0]!, 2);
    expect(seen[65]! * 120).toBeCloseTo(ahead[1]!, 2);
  });
});

describe('the end of a race with contact', () => {
  it('takes finishers off the road, and gives the field its time', async () => {
    const race = await newRace(field(4), 1, 3);
    run(race, 20_000, [12, 140, 120, 100]);
    const [first, second, third, last] = race.standings();
    expect([first!.now.gone, second!.now.gone, third!.now.gone, last!.now.gone]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(first!.finishTick).toBeLessThanOrEqual(second!.finishTick!);
    expect(last!.gaveUp).toBe(true);
    expect(race.tick).toBe(first!.finishTick! + FIELD_WAIT_TICKS);
  });

  it('comes soon after the person has finished', async () => {
    const race = await newRace([you, ...field(2)], 1, 2);
    run(race, 20_000, [140, 10, 12]);
    expect(race.standings()[0]).toBe(race.human);
    expect(race.tick).toBe(race.human!.finishTick! + 300);
  });
});

describe('a car of a race with contact', () => {
  it('is put back at once when its driver asks, and its lap does not count', async () => {
    const race = await newRace([you, machine('AI')], 3, 0);
    run(race, 300);
    race.advance([IDLE, IDLE], { ...ASK, putBack: true });
    expect(race.human!.now.speed).toBe(0);
    expect(race.human!.offence).toMatchObject({ kind: 'respawn' });
    expect(race.events.some((event) => event.type === 'respawn' && event.car === 0)).toBe(true);
    expect(race.controller.phase).toBe('racing');
  });

  it('is put back by the kernel when it stands, and leaves the road when that never helps', async () => {
    const race = await newRace([you, machine('AI')], 5, 0);
    run(race, 3000, [0, 80]);
    const own = race.events.filter((event) => 'car' in event && event.car === 0);
    expect(own.filter((event) => event.type === 'respawn').length).toBeGreaterThan(1);
    expect(own.at(-1)).toEqual({ type: 'retired', car: 0 });
    expect(race.human!.gaveUp).toBe(true);
  });

  it('is parked and named when its driver fails, and the race goes on', async () => {
    const race = await newRace([machine('broken'), machine('mute'), machine('fine')], 3, 0);
    const nobody = { steer: Number.NaN, throttle: 0, brake: 0 };
    const broken = {
      decide: () => {
        throw new Error('torn file');
      },
    };
    const fine = { decide: () => chauffeur(track, race.cars[2]!.now) };
    const grid = new Grid(race, [broken, { decide: () => nobody }, fine]);
    for (let tick = 0; tick < 60; tick++) await grid.advance(IDLE);
    expect([...grid.failures.keys()]).toEqual([0, 1]);
    expect(race.cars.map((car) => race.isOnRoad(car))).toEqual([false, false, true]);
    expect(race.cars[2]!.now.speed).toBeGreaterThan(5);
  });
});
