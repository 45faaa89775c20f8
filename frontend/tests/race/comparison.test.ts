import { describe, expect, it } from 'vitest';
import { compareLaps, largestLoss, profile, SAMPLES } from '../../src/race/comparison';
import { type Lap, Trace } from '../../src/race/laps';
import { findTurns, placeName } from '../../src/race/turns';
import { loadTrack } from '../site';

const LENGTH = 1200;

/** A lap at a given speed at each distance. */
function lapAt(speedAt: (arc: number) => number): Lap {
  const trace = new Trace();
  let arc = 0;
  while (arc < LENGTH) {
    arc += speedAt(arc) / 60;
    trace.add(arc % LENGTH, speedAt(arc), 0, 0);
  }
  return { number: 1, ticks: trace.ticks, clean: true, offence: null, trace };
}

const turns = [
  { number: 1, from: 200, apex: 250, to: 300, side: 'left' as const },
  { number: 2, from: 700, apex: 750, to: 800, side: 'right' as const },
];

describe('the turns of a track', () => {
  it.each([
    ['track-01', 'right'],
    ['track-03', 'left'],
  ])('%s bends mostly to the %s', (id, side) => {
    const found = findTurns(loadTrack(id).file);
    expect(found.length).toBeGreaterThanOrEqual(2);
    const share = found.filter((turn) => turn.side === side).length / found.length;
    expect(share).toBeGreaterThan(0.5);
    expect(found.map((turn) => turn.number)).toEqual(found.map((_, i) => i + 1));
    for (const turn of found) expect(turn.from).toBeLessThan(turn.to);
  });

  it('name a place on the lap', () => {
    expect(placeName(turns, 250, LENGTH)).toBe('turn 1');
    expect(placeName(turns, 500, LENGTH)).toBe('before turn 2');
    expect(placeName(turns, 1100, LENGTH)).toBe('before turn 1');
    expect(placeName([], 600, LENGTH)).toBe('50 % of the lap');
  });
});

describe('the profile of a lap', () => {
  it('is straight in time at an even speed and ends with the lap time', () => {
    const lap = lapAt(() => 120);
    const { ticks, speed } = profile(lap.trace, LENGTH);
    expect(ticks[SAMPLES]).toBe(lap.ticks);
    expect(ticks[SAMPLES / 2]).toBeCloseTo(300, 6);
    expect(Math.min(...speed.slice(1))).toBeCloseTo(120, 6);
  });

  it('counts the way before the line to the lap that begins there', () => {
    const trace = new Trace();
    for (const arc of [1195, 1199, 2, 6, 600, 1100, 1198, 1]) trace.add(arc, 60, 0, 0);
    const { ticks } = profile(trace, LENGTH);
    for (let i = 1; i <= SAMPLES; i++) expect(ticks[i]!).toBeGreaterThanOrEqual(ticks[i - 1]!);
  });
});

describe('a comparison', () => {
  it('finds the turn where the time was lost', () => {
    const slow = lapAt((arc) => (arc > 700 && arc < 800 ? 60 : 120));
    const { behind, losses } = compareLaps(
      slow,
      lapAt(() => 120),
      turns,
      LENGTH,
    );
    // 100 u at half the speed cost 50 ticks; the speed changes only once a tick, so one tick is in doubt.
    expect(Math.abs(behind[SAMPLES]! - 50)).toBeLessThanOrEqual(1);
    expect(losses[0]!.ticks).toBeCloseTo(0, 6);
    expect(Math.abs(losses[1]!.ticks - 50)).toBeLessThanOrEqual(1);
    expect(largestLoss(losses)).toMatch(/^You lost 0\.8\d s in turn 2$/);
  });

  it('says what was gained when nothing was lost', () => {
    const other = lapAt((arc) => (arc > 200 && arc < 300 ? 60 : 120));
    const { losses } = compareLaps(
      lapAt(() => 120),
      other,
      turns,
      LENGTH,
    );
    expect(largestLoss(losses)).toMatch(/^You gained 0\.8\d s in turn 1$/);
    expect(largestLoss([])).toBe('');
  });
});
