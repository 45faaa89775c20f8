import { describe, expect, it } from 'vitest';
import { Sight } from '../../src/view/sight';

const looking = (turn: number) => {
  const sight = new Sight();
  sight.aim({ x: 100, y: 50, extent: 1, turn }, 20, 10);
  return sight;
};

describe('what is in sight', () => {
  it('is a rectangle around the middle, and what reaches into it', () => {
    const sight = looking(0);
    expect([sight.has(119, 50, 0), sight.has(121, 50, 0), sight.has(121, 50, 2)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([sight.has(100, 59, 0), sight.has(100, 61, 0), sight.has(100, 39, 0)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('turns with the picture', () => {
    const quarter = looking(Math.PI / 2);
    expect([quarter.has(100, 69, 0), quarter.has(111, 50, 0)]).toEqual([true, false]);
    // The world is turned clockwise by as much as its up is turned counter-clockwise: this corner comes into view.
    const eighth = looking(Math.PI / 4);
    expect([eighth.has(112, 38, 0), eighth.has(112, 62, 0)]).toEqual([true, false]);
  });
});
