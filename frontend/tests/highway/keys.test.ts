import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commandOf } from '../../src/highway/keys';

/** An element as far as a key press looks at it: it is found by one selector. */
class Element {
  constructor(private readonly selector: string) {}
  closest(selectors: string): Element | null {
    return selectors.split(', ').includes(this.selector) ? this : null;
  }
}

const press = (key: string, on: string, held = {}) =>
  commandOf({
    key,
    target: new Element(on) as unknown as EventTarget,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    ...held,
  });

beforeEach(() => void vi.stubGlobal('HTMLElement', Element));
afterEach(() => void vi.unstubAllGlobals());

describe('a key on the highway page', () => {
  it.each(['body', 'button', 'select', 'input[type=radio]', 'input[type=checkbox]'])(
    'counts when the last click was on %s',
    (place) => {
      expect(press('p', place)).toBe('pause');
      expect(press('n', place)).toBe('another road');
      expect(press('x', place)).toBeNull();
    },
  );

  it('counts with Caps Lock', () => {
    expect([press('P', 'body'), press('N', 'body')]).toEqual(['pause', 'another road']);
  });

  it.each(['input[type=text]', 'dialog'])('is left to %s', (place) => {
    expect(press('p', place)).toBeNull();
  });

  it('is left to the browser with Ctrl, Alt or Meta', () => {
    for (const held of ['ctrlKey', 'altKey', 'metaKey'])
      expect(press('p', 'body', { [held]: true })).toBeNull();
  });
});
