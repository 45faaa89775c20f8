import { describe, expect, it } from 'vitest';
import { DEFAULTS, loadSettings, saveSettings } from '../../src/site/settings';
import { memoryStore, read, type TextStore, write } from '../../src/site/storage';

const asText = (value: unknown) => (typeof value === 'string' ? value : null);

describe('what the browser remembers', () => {
  it('comes back as it was kept', () => {
    const store = memoryStore();
    expect(write(store, 'word', 'fast')).toBe(true);
    expect(read(store, 'word', asText, 'none')).toBe('fast');
  });

  it.each(['{', 'null', '[1', '"unfinished', '\u0000', '{"a":'])(
    'counts as nothing when it is damaged: %j',
    (text) => {
      const store = memoryStore();
      store.setItem('hotlap.word', text);
      expect(read(store, 'word', asText, 'none')).toBe('none');
    },
  );

  it('counts as nothing when it is of the wrong kind', () => {
    const store = memoryStore();
    write(store, 'word', { not: 'a word' });
    expect(read(store, 'word', asText, 'none')).toBe('none');
  });

  it('is given up quietly when the store is full or forbidden', () => {
    const forbidden: TextStore = {
      getItem: () => {
        throw new Error('denied');
      },
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(write(forbidden, 'word', 'fast')).toBe(false);
    expect(read(forbidden, 'word', asText, 'none')).toBe('none');
  });
});

describe('settings', () => {
  it('come back as they were chosen', () => {
    const store = memoryStore();
    saveSettings(store, { ...DEFAULTS, laps: 5, mode: 'younger', volume: 0.25 });
    expect(loadSettings(store)).toEqual({ ...DEFAULTS, laps: 5, mode: 'younger', volume: 0.25 });
  });

  it('keep what is right and replace what is wrong, one by one', () => {
    const store = memoryStore();
    const odd = {
      laps: 7,
      mode: 'fly',
      volume: 9,
      muted: 'yes',
      showRays: true,
      name: 'A'.repeat(99),
      more: 1,
    };
    write(store, 'settings', odd);
    expect(loadSettings(store)).toEqual({ ...DEFAULTS, showRays: true, name: 'A'.repeat(24) });
  });

  it.each(['[]', '7', 'nonsense'])('are the defaults when the store holds %s', (text) => {
    const store = memoryStore();
    store.setItem('hotlap.settings', text);
    expect(loadSettings(store)).toEqual(DEFAULTS);
  });
});
