import { describe, expect, it } from 'vitest';
import type { PolicyEntry } from '../../src/site/data';
import { duration } from '../../src/ui/format';
import { ageLabel } from '../../src/ui/opponents';

describe('how old a driver is', () => {
  it('is said in tenths of seconds, seconds and minutes', () => {
    expect([0.04, 9.94, 9.96, 30.2, 119.4, 119.6, 3600].map(duration)).toEqual([
      '0.0 s',
      '9.9 s',
      '10 s',
      '30 s',
      '119 s',
      '2 min',
      '60 min',
    ]);
  });

  it('is said by the clock of its training, and in steps where nobody kept that', () => {
    const entry = { step: 1_200_000, trained_s: 30.4 } as PolicyEntry;
    expect(ageLabel(entry, 0, 4)).toBe('newborn · 30 s old · 1.2M steps');
    expect(ageLabel({ ...entry, trained_s: null }, 3, 4)).toBe('grown-up · 1.2M steps');
  });
});
