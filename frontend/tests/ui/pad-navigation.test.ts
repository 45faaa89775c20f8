import { describe, expect, it } from 'vitest';
import { type Box, nearest } from '../../src/ui/pad-navigation';

const box = (left: number, top: number): Box => ({ left, top, right: left + 10, bottom: top + 10 });
const grid = [box(0, 0), box(100, 0), box(0, 50), box(100, 50)];

describe('moving the focus with a gamepad', () => {
  it('goes to the neighbour in that direction', () => {
    expect(nearest(grid[0]!, grid, 'right')).toBe(1);
    expect(nearest(grid[0]!, grid, 'down')).toBe(2);
    expect(nearest(grid[3]!, grid, 'up')).toBe(1);
    expect(nearest(grid[3]!, grid, 'left')).toBe(2);
  });

  it('stays where nothing lies in that direction', () => {
    expect(nearest(grid[0]!, grid, 'up')).toBe(-1);
    expect(nearest(grid[0]!, grid, 'left')).toBe(-1);
  });

  it('prefers what lies straight ahead to what is nearer but aside', () => {
    expect(nearest(box(0, 0), [box(25, 40), box(0, 70)], 'down')).toBe(1);
  });
});
