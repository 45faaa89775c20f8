/** Small makers of HTML and SVG elements. */

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

/** Set text only when it changed: the page is laid out anew for nothing else. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setClass(element: Element, name: string, on: boolean): void {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}

/** A row of choices of which one holds, as radio buttons that look like one switch. */
export function choiceRow<T extends string | number>(
  legend: string,
  choices: { value: T; label: string; disabled?: boolean; title?: string }[],
  chosen: T,
  choose: (value: T) => void,
): HTMLElement {
  const name = `choice-${legend.toLowerCase().replace(/\W+/g, '-')}`;
  const row = h('fieldset', { class: 'choices' }, h('legend', {}, legend));
  const track = h('div', { class: 'choices-track' });
  for (const { value, label, disabled, title } of choices) {
    const radio = h('input', {
      type: 'radio',
      name,
      value: String(value),
      checked: value === chosen,
      disabled: disabled ?? false,
      onchange: () => choose(value),
    });
    track.append(h('label', { title }, radio, h('span', {}, label)));
  }
  row.append(track);
  return row;
}

export function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const box = h('input', { type: 'checkbox', checked: on, role: 'switch' });
  box.addEventListener('change', () => change(box.checked));
  return h('label', { class: 'toggle' }, h('span', {}, label), box, h('i', { 'aria-hidden': 'true' }));
}
