import { describe, expect, it } from 'vitest';
import type { Given } from '../../src/highway/drive';
import { READY_ORDERS } from '../../src/highway/orders';
import { NOTHING_SAID, type Order } from '../../src/highway/road';
import { endingText, missionText } from '../../src/highway/words';
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
    expect(missionText(drive)).toBe('Moving to lane 1');
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

  it('calls a mission off when another comes, and tells for how long it lasted', async () => {
    const { drive, ended } = await driving(SCENE, 0);
    drive.give(given({ mode: 'cruise', target_speed_mps: 10 }, 'slow down'));
    await decisions(drive, 10);
    drive.give(given({}, 'never mind'));
    expect(ended).toMatchObject([{ ending: 'cancelled', text: 'slow down', duration_s: 2 }]);
    drive.give(given({ mode: 'stop' }));
    expect(ended).toHaveLength(1);
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

describe('the buttons', () => {
  it('are not for lanes that do not exist', async () => {
    const { drive } = await driving(3, 0);
    expect(drive.road.value('vehicles', 'lane')).toBe(0);
    const [left, right] = READY_ORDERS;
    expect(left!.order(drive)).toBeNull();
    expect(right!.order(drive)).toMatchObject({ target_lane: 1, direction: 'right' });
  });

  it('overtake what drives ahead and come back', async () => {
    const told = await driving(SCENE, 20);
    const overtake = READY_ORDERS.find(({ text }) => text === 'overtake')!;
    for (let tries = 0; tries < 300 && told.ended[0]?.ending !== 'done'; tries++) {
      if (!told.drive.mission) {
        told.ended.length = 0;
        told.drive.give({ order: overtake.order(told.drive)!, text: 'overtake', source: 'script' });
      }
      await decisions(told.drive, 5);
    }
    expect(told.ended[0]).toMatchObject({ ending: 'done', mode: 'overtake' });
  });
});
