import { beforeAll, describe, expect, it } from 'vitest';
import type { Kernel } from '../../src/physics/kernel';
import { KeySteering } from '../../src/race/key-steering';
import { Race } from '../../src/race/race';
import { brakingPoints, ReferenceGhost } from '../../src/race/reference-ghost';
import { strips } from '../../src/view/strips';
import { loadKernel, loadTrack } from '../site';

let kernel: Kernel;
const HELP = { traction: true, antiLock: true };
const NOTHING = { steer: 0, throttle: 0, brake: 0 };

beforeAll(async () => {
  kernel = await loadKernel();
});

async function alone(car: string, assists = HELP): Promise<Race> {
  const fleet = await kernel.fleet(loadTrack('ridgeway'), 1, car);
  const layout = fleet.car.layouts[0]!;
  return new Race(fleet, [{ name: 'You', kind: 'human', colour: 0, layout, delay: 0, assists }], 0, false);
}

function drive(race: Race, ticks: number, controls: Partial<typeof NOTHING>): number {
  for (let tick = 0; tick < ticks; tick++) race.advance([{ ...NOTHING, ...controls }]);
  return race.cars[0]!.now.speed;
}

describe('a car with grip', () => {
  it('gains and loses speed as its data sheet says, in metres per second', async () => {
    const race = await alone('gt');
    const speed = drive(race, 240, { throttle: 1 });
    expect(speed * 3.6).toBeGreaterThan(80);
    expect(speed * 3.6).toBeLessThan(115);
    expect(drive(race, 60, { brake: 1 })).toBeLessThan(speed - 8);
    expect(race.fleet.car.speedUnit).toBe('km/h');
  });

  it('is another car for every choice', async () => {
    const speeds = [];
    for (const car of ['street', 'gt', 'formula']) speeds.push(drive(await alone(car), 180, { throttle: 1 }));
    expect(speeds).toEqual([...speeds].sort((a, b) => a - b));
    expect(speeds[2]! - speeds[0]!).toBeGreaterThan(5);
  });

  it('leaves rubber when the tyres slide, and none when they roll', async () => {
    const race = await alone('gt', { traction: false, antiLock: false });
    drive(race, 30, { throttle: 0.2 });
    expect(race.cars[0]!.now.slide).toBe(0);
    drive(race, 150, { throttle: 1 });
    drive(race, 5, { brake: 1 });
    expect(race.cars[0]!.now.slide).toBeGreaterThan(0);
  });
});

describe('keys in a car with grip', () => {
  it('turn the wheel less the faster it goes, and all the way when it parks', () => {
    const { keyReach } = kernel.car('gt');
    expect(keyReach(0)).toBe(1);
    expect(keyReach(60)).toBeLessThan(0.35);
    const wheel = new KeySteering();
    let steer = 0;
    for (let tick = 0; tick < 60; tick++)
      steer = wheel.advance(1, 0.7, 1 / 60, { sensitivity: 1, reach: keyReach(60) });
    expect(steer).toBeCloseTo(keyReach(60), 6);
    expect(kernel.car('classic').keyReach(100)).toBe(1);
  });
});

describe('the ghost of the reference lap', () => {
  it('is where the lap was, brakes where it lost speed, and is gone when it is round', () => {
    const lap = loadTrack('ridgeway').file.references.gt!;
    const ghost = new ReferenceGhost(lap);
    const start = ghost.at(0)!;
    expect([start.x, start.y]).toEqual([lap.x_u[0], lap.y_u[0]]);
    expect(ghost.at(lap.ticks + 60)).toBeNull();
    const [first] = brakingPoints(lap);
    expect(ghost.at(first! * lap.every_ticks)!.brake).toBe(1);
    expect(brakingPoints(lap).length).toBeGreaterThan(2);
  });
});

describe('the road between two lines', () => {
  it('is covered piece by piece, so that a crossing leaves no hole', () => {
    const line = (y: number) => Array.from({ length: 100 }, (_, x): [number, number] => [x, y]);
    const pieces = strips(line(1), line(0));
    const reach = pieces.map((piece) => [
      Math.min(...piece.map(([x]) => x)),
      Math.max(...piece.map(([x]) => x)),
    ]);
    expect(reach[0]![0]).toBe(0);
    expect(reach.at(-1)![1]).toBe(99);
    for (const [i, [, end]] of reach.slice(0, -1).entries()) expect(end).toBeGreaterThan(reach[i + 1]![0]!);
  });
});
