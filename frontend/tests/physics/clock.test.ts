import { describe, expect, it } from 'vitest';
import { Clock, MOST_TICKS_AT_ONCE } from '../../src/physics/clock';

/** How many ticks come out of so many seconds at a frame rate. */
function ticksAt(framesPerSecond: number, seconds: number): number {
  const clock = new Clock();
  let ticks = clock.due(0);
  for (let frame = 1; frame <= framesPerSecond * seconds; frame++)
    ticks += clock.due((frame * 1000) / framesPerSecond);
  return ticks;
}

describe('the clock', () => {
  it.each([7, 15, 30, 50, 60, 72, 90, 144, 240])('makes 60 ticks a second at %i frames a second', (rate) => {
    expect(Math.abs(ticksAt(rate, 10) - 600)).toBeLessThanOrEqual(1);
  });

  it('makes exactly one tick a frame at 60 frames a second', () => {
    const clock = new Clock();
    clock.due(0);
    for (let frame = 1; frame < 1000; frame++) expect(clock.due(frame * (1000 / 60))).toBe(1);
  });

  it('says where between two ticks to draw', () => {
    const clock = new Clock();
    clock.due(0);
    clock.due(25);
    expect(clock.share).toBeCloseTo(0.5, 3);
  });

  it('does not race through a long sleep, and forgets a pause', () => {
    const clock = new Clock();
    clock.due(0);
    expect(clock.due(60_000)).toBe(MOST_TICKS_AT_ONCE);
    clock.restart();
    expect(clock.due(120_000)).toBe(0);
  });

  it('takes a clock that goes back for one that stands', () => {
    const clock = new Clock();
    clock.due(1000);
    expect(clock.due(500)).toBe(0);
  });
});
