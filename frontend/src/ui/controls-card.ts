/** How to drive, shown to somebody who has not driven yet. */
import { h } from './dom';

const KEYS: [string, string][] = [
  ['W A S D or arrows', 'drive'],
  ['R', 'back to the road'],
  ['Esc', 'pause'],
];
const TOUCH: [string, string][] = [
  ['Left half', 'slide to steer'],
  ['Right half, above', 'throttle'],
  ['Right half, below', 'brake'],
];
const PAD: [string, string][] = [
  ['Left stick', 'steer'],
  ['Right trigger or A', 'throttle'],
  ['Left trigger or B', 'brake'],
  ['Select', 'back to the road'],
];

export function controlsCard(): HTMLElement {
  return h('dl', { class: 'hud-card hud-controls', hidden: true, 'data-testid': 'controls' });
}

/** What is written on the card depends on what is at hand now. */
export function fillControls(card: HTMLElement): void {
  const pad = navigator.getGamepads?.().some((one) => one?.connected) ?? false;
  const touch = window.matchMedia('(pointer: coarse)').matches;
  const rows = pad ? PAD : touch ? TOUCH : KEYS;
  card.replaceChildren(...rows.map(([what, does]) => h('div', {}, h('dt', {}, what), h('dd', {}, does))));
}
