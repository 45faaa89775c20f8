import { beforeAll, describe, expect, it } from 'vitest';
import type { Controls, Kernel } from '../../src/physics/kernel';
import { Grid, ReplayDriver } from '../../src/race/drivers';
import type { RaceEvent } from '../../src/race/events';
import { FINISH_WAIT_TICKS, PATIENCE_TICKS, Race } from '../../src/race/race';
import type { Entrant } from '../../src/race/race-car';
import { IDLE } from '../../src/race/race-car';
import { quantised, type Tape, TapePlayer } from '../../src/race/tape';
import { loadKernel, loadTrack } from '../site';
import { chauffeur } from './chauffeur';

const track = loadTrack('track-01');
const you: Entrant = { name: 'You', kind: 'human', colour: 0, layout: 'classic', delay: 0 };
const machine: Entrant = { name: 'AI', kind: 'policy', colour: 0, layout: 'classic', delay: 1 };
const FULL: Controls = { steer: 0, throttle: 1, brake: 0 };
let kernel: Kernel;

beforeAll(async () => {
  kernel = await loadKernel();
});

async function newRace(entrants: Entrant[], laps: number, countdown = false): Promise<Race> {
  return new Race(await kernel.fleet(track, entrants.length), entrants, laps, countdown);
}

/** Drive every car with the chauffeur, at its own pace, until the race is over or `ticks` have passed. */
function run(race: Race, paces: number[], ticks = 20_000): RaceEvent[] {
  for (let tick = 0; tick < ticks && !race.finished; tick++) {
    race.advance(
      race.cars.map((car) => (paces[car.number]! > 0 ? chauffeur(track, car.now, paces[car.number]) : IDLE)),
    );
  }
  return race.events;
}

describe('a race alone', () => {
  it('counts 240 ticks down while cars and clocks stand still', async () => {
    const race = await newRace([you], 3, true);
    for (let tick = 0; tick < 240; tick++) {
      expect(race.controller.phase).toBe('countdown');
      race.advance([FULL]);
    }
    expect(race.controller.phase).toBe('racing');
    expect(race.human!.now.speed).toBe(0);
    expect(race.lapTicks(race.human!)).toBe(0);
    expect(race.events.map((event) => event.type)).toEqual(['beat', 'beat', 'beat', 'beat', 'go']);
    race.advance([FULL]);
    expect(race.lapTicks(race.human!)).toBe(1);
    expect(race.human!.now.speed).toBeGreaterThan(0);
  });

  it('ends on the tick of the last lap, with the kernel’s lap times', async () => {
    const race = await newRace([you], 2);
    const events = run(race, [90]);
    expect(race.finished).toBe(true);
    const { laps, finishTick } = race.human!;
    expect(laps).toHaveLength(2);
    expect(laps[0]!.ticks + laps[1]!.ticks).toBe(finishTick);
    expect(finishTick).toBe(race.tick);
    expect(laps[0]!.ticks).toBeGreaterThan(laps[1]!.ticks);
    expect(laps.map((lap) => lap.trace.ticks)).toEqual(laps.map((lap) => lap.ticks));
    expect(events.at(-1)).toEqual({ type: 'over' });
    expect(events.filter((event) => event.type === 'gate')).toHaveLength(60);
  });

  it('without a number of laps never ends', async () => {
    const race = await newRace([you], 0);
    run(race, [120], 3000);
    expect(race.finished).toBe(false);
    expect(race.human!.laps.length).toBeGreaterThan(2);
    race.end();
    expect(race.finished).toBe(true);
  });

  it('calls a lap over the grass not clean, and says where it left the road', async () => {
    const race = await newRace([you], 1);
    for (let tick = 0; tick < 4000 && !race.finished; tick++) {
      const strays = tick > 200 && tick < 240;
      race.advance([strays ? { steer: -0.4, throttle: 0.5, brake: 0 } : chauffeur(track, race.human!.now)]);
    }
    const [lap] = race.human!.laps;
    expect(lap!.clean).toBe(false);
    expect(lap!.offence!.kind).toBe('road');
    const tickOut = lap!.trace.arc.indexOf(lap!.offence!.arc);
    expect(tickOut).toBeGreaterThan(200);
    expect(tickOut).toBeLessThan(400);
  });
});

describe('a stuck car', () => {
  it('is put to rest at its last gate after 300 slow ticks and 30 of waiting, its clock kept', async () => {
    const race = await newRace([you], 3);
    while (race.human!.splits.length < 4) race.advance([chauffeur(track, race.human!.now)]);
    while (race.human!.now.speed >= 2) race.advance([{ steer: 0, throttle: 0, brake: 1 }]);
    const lapTicks = race.lapTicks(race.human!);
    for (let tick = 1; tick < 300; tick++) race.advance([IDLE]);
    expect(race.controller.phase).toBe('respawning');
    const tapeTicks = race.human!.tape.ticks;
    for (let tick = 0; tick < 30; tick++) race.advance([FULL]);
    expect(race.controller.phase).toBe('racing');
    expect(race.lapTicks(race.human!)).toBe(lapTicks + 299 + 30);
    expect(race.human!.tape.ticks).toBe(tapeTicks);
    expect(race.human!.tape.respawns).toEqual([tapeTicks]);
    const gate = race.human!.splits.length;
    const [x, y] = track.file.gates.centre[gate]!;
    const [dx, dy] = track.file.gates.direction[gate]!;
    expect(race.human!.now).toMatchObject({ x, y, speed: 0, heading: Math.atan2(dy, dx) });
    expect(race.human!.offence).toMatchObject({ kind: 'respawn' });
  });

  it('is put back after five seconds without ground gained, however fast it circles', async () => {
    const race = await newRace([you], 3);
    for (let tick = 0; tick < 900 && race.human!.tape.respawns.length === 0; tick++)
      race.advance([{ steer: 1, throttle: race.human!.now.speed < 20 ? 1 : 0, brake: 0 }]);
    expect(race.human!.tape.respawns).toHaveLength(1);
    expect(race.human!.now.speed).toBe(0);
  });

  it('is not held by a wall for longer than a second and a half', async () => {
    const race = await newRace([you], 3);
    const turnedIn = { steer: -1, throttle: 1, brake: 0 };
    while (race.tick < 45) race.advance([turnedIn]);
    while (!race.events.some((event) => event.type === 'hit')) race.advance([FULL]);
    const hit = race.tick;
    while (race.human!.tape.respawns.length === 0 && race.tick < hit + 600) race.advance([FULL]);
    expect(race.tick - hit).toBeLessThan(300);
  });

  it('is put back when its driver asks', async () => {
    const race = await newRace([you], 3);
    run(race, [90], 200);
    race.advance([FULL], { togglePause: false, restart: false, quitToMenu: false, putBack: true });
    expect(race.controller.phase).toBe('respawning');
    for (let tick = 0; tick < 30; tick++) race.advance([FULL]);
    expect(race.human!.now.speed).toBe(0);
    expect(race.human!.offence).toMatchObject({ kind: 'respawn' });
  });

  it('repeats in a replay where it was put back, and nowhere else', async () => {
    const race = await newRace([you], 1);
    run(race, [90], 200);
    race.advance([FULL], { togglePause: false, restart: false, quitToMenu: false, putBack: true });
    run(race, [90]);
    const drive = race.human!.tape.drive()!;
    const again = await newRace([{ ...you, kind: 'replay', respawns: drive.respawns }], 1);
    const player = new TapePlayer(drive);
    while (!again.finished && again.tick < 5000) {
      const waits = again.cars[0]!.watch.respawnTicksLeft > 0;
      again.advance([waits || player.ended ? IDLE : player.next()]);
    }
    expect(again.cars[0]!.laps[0]!.ticks).toBe(race.human!.laps[0]!.ticks);
  });

  it('is put back too when a machine drives it', async () => {
    const race = await newRace([you, machine], 3);
    run(race, [90, 0], 331);
    const put = race.events.filter((event) => event.type === 'respawn');
    expect(put).toEqual([{ type: 'respawn', car: 1 }]);
    expect(race.controller.phase).toBe('racing');
  });
});

describe('a race with rivals', () => {
  it('gives the others five seconds after the first finisher, then they did not finish', async () => {
    const race = await newRace([{ ...machine, name: 'slow' }, machine], 1);
    run(race, [40, 120]);
    const [slow, ai] = [race.cars[0]!, race.cars[1]!];
    expect(ai.finishTick).not.toBeNull();
    expect(race.tick).toBe(ai.finishTick! + FINISH_WAIT_TICKS);
    expect(slow.gaveUp).toBe(true);
    expect(race.standings().map((car) => car.entrant.name)).toEqual(['AI', 'slow']);
  });

  it('waits for a person who makes progress, however long that takes', async () => {
    const race = await newRace([you, machine], 1);
    run(race, [40, 120]);
    const [human, ai] = [race.cars[0]!, race.cars[1]!];
    expect(human.finishTick).toBeGreaterThan(ai.finishTick! + FINISH_WAIT_TICKS);
    expect(human.gaveUp).toBe(false);
    expect(race.tick).toBe(human.finishTick);
  });

  it('does not wait for a person who gains no ground', async () => {
    const race = await newRace([you, machine], 1);
    run(race, [0, 120]);
    expect(race.human!.gaveUp).toBe(true);
    expect(race.tick).toBe(PATIENCE_TICKS);
  });

  it('does not count a pause into the five seconds', async () => {
    const race = await newRace([{ ...machine, name: 'slow' }, machine], 1);
    while (race.cars[1]!.finishTick === null)
      race.advance(race.cars.map((car) => chauffeur(track, car.now, car.number ? 120 : 40)));
    race.advance([IDLE, IDLE], { togglePause: true, restart: false, quitToMenu: false });
    for (let tick = 0; tick < 1000; tick++) race.advance([IDLE, IDLE]);
    expect(race.finished).toBe(false);
    race.advance([IDLE, IDLE], { togglePause: true, restart: false, quitToMenu: false });
    run(race, [40, 120]);
    expect(race.tick).toBe(race.cars[1]!.finishTick! + FINISH_WAIT_TICKS);
  });

  it('is won by the person when both finish on the same tick', async () => {
    const even: Entrant = { ...machine, delay: 0 };
    const race = await newRace([even, you], 1);
    for (let tick = 0; tick < 5000 && !race.finished; tick++) {
      const controls = quantised(chauffeur(track, race.cars[1]!.now));
      race.advance([controls, controls]);
    }
    expect(race.cars[0]!.finishTick).toBe(race.cars[1]!.finishTick);
    expect(race.standings()[0]).toBe(race.human);
  });

  it('tells the gap at the last gate both have passed', async () => {
    const race = await newRace([you, machine], 1);
    expect(race.gap(race.cars[0]!, race.cars[1]!)).toBeNull();
    run(race, [60, 110], 500);
    const [slow, fast] = [race.cars[0]!, race.cars[1]!];
    const gate = slow.splits.length - 1;
    expect(fast.splits.length).toBeGreaterThan(slow.splits.length);
    expect(race.gap(slow, fast)).toBe(slow.splits[gate]! - fast.splits[gate]!);
    expect(race.gap(fast, slow)).toBe(-race.gap(slow, fast)!);
    expect(race.rival()).toBe(fast);
  });
});

describe('a delay of one tick', () => {
  it('lets an action count one tick later and nothing else', async () => {
    const race = await newRace([{ ...machine, delay: 0 }, machine], 0);
    const actions: Controls[] = Array.from({ length: 200 }, (_, tick) => ({
      steer: Math.sin(tick / 9),
      throttle: 0.9,
      brake: 0,
    }));
    const prompt: number[] = [];
    const late: number[] = [];
    for (let tick = 0; tick < 200; tick++) {
      race.advance([tick === 0 ? IDLE : actions[tick - 1]!, actions[tick]!]);
      prompt.push(race.cars[0]!.now.x, race.cars[0]!.now.heading);
      late.push(race.cars[1]!.now.x, race.cars[1]!.now.heading);
    }
    expect(late).toEqual(prompt);
  });
});

describe('a recorded drive', () => {
  it('drives the same laps again', async () => {
    const race = await newRace([you], 2);
    run(race, [100]);
    const again = await replayed(race.human!.tape, 2);
    expect(again.cars[0]!.laps.map((lap) => lap.ticks)).toEqual(race.human!.laps.map((lap) => lap.ticks));
  });

  it('is not disturbed by pauses', async () => {
    const race = await newRace([you], 1);
    run(race, [100]);
    const again = await replayed(race.human!.tape, 1, 50);
    expect(again.cars[0]!.laps.map((lap) => lap.ticks)).toEqual(race.human!.laps.map((lap) => lap.ticks));
  });
});

async function replayed(tape: Tape, laps: number, pauseEvery = 0): Promise<Race> {
  const ghost: Entrant = { name: 'Ghost', kind: 'replay', colour: 0, layout: 'classic', delay: 0 };
  const race = await newRace([ghost], laps);
  const grid = new Grid(race, [new ReplayDriver(new TapePlayer(tape.drive()!))]);
  for (let tick = 0; tick < 5000 && !race.finished; tick++) {
    const togglePause = pauseEvery > 0 && tick % pauseEvery === 0;
    await grid.advance(IDLE, { togglePause, restart: false, quitToMenu: false });
  }
  return race;
}
