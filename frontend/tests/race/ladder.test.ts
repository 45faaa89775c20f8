import { describe, expect, it } from 'vitest';
import { nextLevel, opponentAt } from '../../src/race/ladder';
import type { PolicyEntry } from '../../src/site/data';

const ladder = ['newborn', 'child', 'champion'].map((key) => ({ key }) as PolicyEntry);

describe('a rival that follows your level', () => {
  it('begins with the weakest and ends with the best', () => {
    expect(opponentAt(ladder, 0)?.key).toBe('newborn');
    expect(opponentAt(ladder, 0.5)?.key).toBe('child');
    expect(opponentAt(ladder, 1)?.key).toBe('champion');
    expect(opponentAt([], 0.5)).toBeNull();
  });

  it('grows stronger when you win and weaker when you lose', () => {
    const up = nextLevel(0, true, ladder.length);
    expect(opponentAt(ladder, up)?.key).toBe('child');
    expect(opponentAt(ladder, nextLevel(up, false, ladder.length))?.key).toBe('newborn');
  });

  it('never leaves the ladder', () => {
    expect(nextLevel(1, true, 3)).toBe(1);
    expect(nextLevel(0, false, 3)).toBe(0);
    expect(nextLevel(0.5, true, 1)).toBe(1);
  });
});
