import { describe, expect, it } from 'vitest';
import type { Given, MissionRecord } from '../../src/highway/drive';
import { failuresFirst } from '../../src/highway/missions-dialog';
import { overtake, passableScene, readyOrders } from '../../src/highway/orders';
import { NOTHING_SAID, type Order } from '../../src/highway/road';
import { lengthText, speedText } from '../../src/highway/units';
import { endingText, missionText, protects } from '../../src/highway/words';
import { decisions, driving } from './roads';

const SCENE = 1;
const LANE = 2;
const given = (order: Partial<Order>, text = 'do it'): Given => ({
  order: { ...NOTHING_SAID, ...order },
  text,
  source: 'text',
});

describe('a drive on the highway', () => {
  it('begins where the scene says, holding lane and speed, with as much traffic as asked for', async () => {
    const { drive } = await driving(SCENE, 12);
    const scene = drive.road.file.scenes[SCENE]!;
    expect(scene.lane).toBe(LANE);
    expect(drive.mode).toBe('hold');
    expect(drive.road.value('vehicles', 'speed_mps')).toBe(scene.speed_mps);
    expect(drive.moment(1).vehicles.filter((vehicle) => vehicle !== null).length).toBeGreaterThan(8);
    expect(drive.moment(1).vehicles.filter((vehicle) => vehicle !== null).length).toBeLessThanOrEqual(13);
  });

  it('is the same drive for the same scene and orders', async () => {
    const [one, other] = await Promise.all([driving(SCENE, 30), driving(SCENE, 30)]);
    for (const { drive } of [one, other]) {
      drive.give(given({ mode: 'cruise', target_speed_mps: 24 }));
      await decisions(drive, 150);
    }
    expect(one.drive.road.column('vehicles', 'x_m')).toEqual(other.drive.road.column('vehicles', 'x_m'));
  });

  it('changes lanes when told, and says when it is done', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    expect(drive.give(given({ mode: 'lane_change', target_lane: 1 }, 'move left'))).toBeNull();
    expect(missionText(drive, 'mph')).toBe('Moving to lane 2');
    await decisions(drive, 30);
    expect(drive.road.value('vehicles', 'lane')).toBe(1);
    expect(ended).toMatchObject([
      { ending: 'done', mode: 'lane_change', text: 'move left', driver: 'expert' },
    ]);
    expect(ended[0]!.duration_s).toBeGreaterThan(2.5);
    expect(endingText(ended[0]!)).toMatch(/^Done: “move left”, in \d\.\d s\.$/);
  });

  it('keeps its mission when an order cannot be', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    drive.give(given({ mode: 'cruise', target_speed_mps: 24 }));
    expect(drive.give(given({ mode: 'overtake', direction: 'left' }))).toBe('no vehicle ahead');
    expect(drive.mode).toBe('cruise');
    expect(ended).toMatchObject([{ ending: 'refused', reason: 'no vehicle ahead', duration_s: 0 }]);
  });

  it('calls a mission off when it is given up, and tells for how long it lasted', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    drive.give(given({ mode: 'cruise', target_speed_mps: 10 }, 'slow down'));
    await decisions(drive, 10);
    drive.give(given({}, 'never mind'));
    expect(ended).toMatchObject([{ ending: 'cancelled', text: 'slow down', duration_s: 2 }]);
    expect(endingText(ended[0]!)).toBe('Called off: “slow down”, after 2.0 s.');
    drive.give(given({ mode: 'stop' }));
    expect(ended).toHaveLength(1);
    drive.give(given({ mode: 'cruise', target_speed_mps: 20 }));
    expect(ended[1]).toMatchObject({ ending: 'cancelled', mode: 'stop' });
  });

  it('calls nothing off when an order changes the one before, adds to it, or the road ends', async () => {
    const { drive, ended, replaced } = await driving(SCENE, 0);
    drive.give(given({ mode: 'cruise', target_speed_mps: 24 }, 'cruise at 24'));
    drive.give(given({ mode: 'cruise', target_speed_mps: 22 }, 'cruise at 22'));
    drive.give(given({ mode: 'lane_change', target_lane: 1 }, 'move left'));
    drive.give(given({ mode: 'cruise', target_lane: 1, target_speed_mps: 20 }, 'at 20'));
    drive.begin(SCENE, 0);
    expect(ended).toEqual([]);
    expect(replaced.map(({ text }) => text)).toEqual(['cruise at 24', 'cruise at 22', 'move left', 'at 20']);
  });

  it('does not call an order refused that was accepted and failed later', () => {
    const failed = { ending: 'refused', text: 'overtake', reason: 'the vehicle got away' } as MissionRecord;
    expect(endingText({ ...failed, duration_s: 0 })).toMatch(/^Refused: “overtake”/);
    expect(endingText({ ...failed, duration_s: 7 })).toBe(
      'Not done: “overtake”, after 7.0 s: the vehicle got away.',
    );
  });

  it('tells how far from the asked speed it was, and which rules the supervisor used', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    drive.seat({ name: 'reckless', act: async () => [1, 0, 0] });
    drive.give(given({ mode: 'cruise', target_speed_mps: 20 }));
    await decisions(drive, 310);
    expect(ended).toMatchObject([{ ending: 'timed_out', driver: 'reckless' }]);
    expect(ended[0]!.speed_error_mps).toBeGreaterThan(5);
    expect(ended[0]!.interventions.speed_limit).toBeGreaterThan(100);
    expect(ended[0]!.reason).toBe('It was not done within 60 seconds.');
  });

  it('names its driver as far as the mission log takes names, and cuts no letter in two', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    drive.seat({ name: '🚗'.repeat(100), act: async () => [0, 0, 0] });
    drive.give(given({ mode: 'overtake', direction: 'left' }));
    expect(ended[0]!.driver).toBe('🚗'.repeat(64));
  });

  it('stops on the shoulder and says so', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    const over = readyOrders('mph').find(({ text }) => text === 'pull over')!;
    drive.give({ order: over.order(drive)!, text: over.text, source: 'script' });
    expect(missionText(drive, 'mph')).toBe('Stopping on the shoulder');
    await decisions(drive, 300);
    expect(ended).toMatchObject([{ ending: 'done', mode: 'stop' }]);
    expect(missionText(drive, 'mph')).toBe('Standing on the shoulder');
  });

  it('is protected by rules against harm, and not by those of everyday driving', async () => {
    const { drive } = await driving(SCENE, 0);
    const rules = drive.road.file.rule_names;
    const harm = ['occupied', 'closing', 'abort', 'distance', 'emergency', 'minimal_risk'];
    expect(rules.filter((rule) => protects(rule, drive))).toEqual(harm);
    drive.give(given({ mode: 'lane_change', target_lane: 1 }));
    expect(rules.filter((rule) => protects(rule, drive))).toEqual(harm.slice(2));
  });

  it('names the rule that steps in', async () => {
    const { drive } = await driving(SCENE, 0);
    drive.seat({ name: 'leftist', act: async () => [0.3, 0, -1] });
    await decisions(drive, 60);
    expect(drive.road.value('vehicles', 'lane')).toBe(0);
    expect(drive.rules).toContain('edge');
  });

  it('is taken over by the expert when its driver fails, and by a driver who can', async () => {
    const { drive, fallbacks } = await driving(SCENE, 10);
    drive.seat({ name: 'broken', act: () => Promise.reject(new Error('out of memory')) });
    await decisions(drive, 20);
    expect(fallbacks).toEqual(['out of memory']);
    expect(drive.fallback).toBe('out of memory');
    expect(drive.driverName).toBe('expert');
    drive.seat({ name: 'new', act: async () => [0, 0, 0] });
    await decisions(drive, 5);
    expect(drive.fallback).toBeNull();
    expect(drive.driverName).toBe('new');
  });

  it('survives numbers that are none: the supervisor stops on the shoulder', async () => {
    const { drive, crashes } = await driving(SCENE, 40);
    drive.seat({ name: 'mad', act: async () => [Number.NaN, Number.POSITIVE_INFINITY, Number.NaN] });
    await decisions(drive, 100);
    expect(crashes).toEqual([]);
    expect(drive.rules).toEqual(['minimal_risk']);
  });

  it('forgets what was decided on another road', async () => {
    const { drive } = await driving(SCENE, 0);
    let answer: (action: [number, number, number]) => void = () => {};
    drive.seat({ name: 'slow', act: () => new Promise((resolve) => (answer = resolve)) });
    const deciding = drive.decide();
    drive.begin(0, 0);
    answer([1, 0, 0]);
    await deciding;
    expect(drive.time_s).toBe(0);
  });

  it('draws moments between two decisions, without flying across the road', async () => {
    const { drive } = await driving(SCENE, 30);
    for (let n = 0; n < 200; n++) {
      await drive.decide();
      const [from, half, to] = [0, 0.5, 1].map((share) => drive.moment(share).vehicles);
      for (const [slot, vehicle] of to!.entries()) {
        if (!vehicle || !from![slot]) continue;
        expect(Math.abs(vehicle.x_m - from![slot].x_m)).toBeLessThan(10);
        expect(half![slot]!.x_m).toBeCloseTo((vehicle.x_m + from![slot].x_m) / 2, 6);
      }
    }
  });
});

describe('the log of missions', () => {
  it('has failures first, the newest of them first', () => {
    const endings = ['done', 'timed_out', 'cancelled', 'crashed', 'done', 'refused'] as const;
    const log = endings.map((ending, age) => ({ ending, age }));
    expect(failuresFirst(log).map(({ age }) => age)).toEqual([1, 3, 5, 0, 2, 4]);
  });
});

describe('the buttons', () => {
  it('are not for lanes that do not exist', async () => {
    const { drive } = await driving(3, 0);
    expect(drive.road.value('vehicles', 'lane')).toBe(0);
    const [left, right] = readyOrders('mph');
    expect(left!.order(drive)).toBeNull();
    expect(right!.order(drive)).toMatchObject({ target_lane: 1, direction: 'right' });
  });

  it('overtake only where there is somebody to pass, and asking changes nothing', async () => {
    const { drive } = await driving(SCENE, 0);
    drive.give(given({ mode: 'cruise', target_speed_mps: 24 }));
    await decisions(drive, 3);
    const columns = () => JSON.stringify(['roads', 'outputs'].map((group) => drive.road.groups[group]));
    const before = columns();
    expect(
      readyOrders('mph')
        .find(({ text }) => text === 'overtake')!
        .order(drive),
    ).toBeNull();
    expect(columns()).toBe(before);
  });

  it('cruise at round speeds of either unit', async () => {
    const { drive } = await driving(SCENE, 0);
    const cruises = readyOrders('km/h').filter(({ label }) => label.startsWith('Cruise'));
    expect(cruises.map(({ text }) => text)).toEqual(['cruise at 90 km/h', 'cruise at 105 km/h']);
    expect(cruises[0]!.order(drive)!.target_speed_mps).toBeCloseTo(25);
    expect([speedText('mph', 25), speedText('km/h', 25)]).toEqual(['56 mph', '90 km/h']);
    expect([lengthText('mph', 30), lengthText('km/h', 30)]).toEqual(['98 ft', '30 m']);
  });

  it.each([20, 36])('are begun where the vehicle ahead can be passed, with %i around', async (vehicles) => {
    const { drive } = await driving(0, vehicles);
    const { length } = drive.road.file.scenes;
    const firsts = [0, Math.floor(length / 2), length - 1];
    for (const scene of firsts.map((first) => passableScene(drive, first, vehicles))) {
      drive.begin(scene, vehicles);
      expect(overtake(drive)).not.toBeNull();
    }
  });

  it('are begun where they are asked for when nobody is around', async () => {
    const { drive } = await driving(0, 0);
    expect(passableScene(drive, 3, 0)).toBe(3);
  });

  it('overtake what drives ahead and come back', async () => {
    const told = await driving(SCENE, 20);
    const overtake = readyOrders('mph').find(({ text }) => text === 'overtake')!;
    for (let tries = 0; tries < 300 && told.ended[0]?.ending !== 'done'; tries++) {
      const order = overtake.order(told.drive);
      if (!told.drive.mission && order) {
        told.ended.length = 0;
        expect(told.drive.give({ order, text: 'overtake', source: 'script' })).toBeNull();
      }
      await decisions(told.drive, 5);
    }
    expect(told.ended[0]).toMatchObject({ ending: 'done', mode: 'overtake' });
  });
});
