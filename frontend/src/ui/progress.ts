/** What the player waits for: each download by its name and size. */
import { type Download, downloads } from '../site/downloads';
import { h, setClass, setText } from './dom';
import { arrivedText } from './format';

export class Progress {
  readonly root: HTMLElement;
  private readonly list = h('ul', {});
  private readonly skip: HTMLButtonElement;
  private onSkip: (() => void) | null = null;

  constructor() {
    this.skip = h('button', { type: 'button', onclick: () => this.onSkip?.() }, 'Start without the AI');
    this.root = h('div', { class: 'progress', role: 'status' }, h('p', {}, 'Loading'), this.list, this.skip);
    this.hide();
    downloads.onChange = () => this.render();
  }

  /** Show what is on its way; `skip` is how to begin without it, where that can be. */
  show(skip: (() => void) | null): void {
    this.onSkip = skip;
    this.skip.hidden = skip === null;
    this.root.hidden = false;
    this.render();
  }

  hide(): void {
    this.root.hidden = true;
  }

  private render(): void {
    if (this.root.hidden) return;
    const rows = downloads.current;
    while (this.list.children.length < rows.length) this.list.append(row());
    for (const [number, item] of [...this.list.children].entries()) fill(item, rows[number] ?? null);
  }
}

function row(): HTMLElement {
  return h('li', {}, h('span', {}), h('b', {}), h('i', {}));
}

function fill(item: Element, download: Download | null): void {
  setClass(item, 'done', download === null);
  if (!download) return;
  const [name, size, bar] = item.children as unknown as [Element, Element, HTMLElement];
  const { received, total } = download;
  setText(name, download.name);
  setText(size, arrivedText(received, total));
  bar.style.transform = `scaleX(${total === null ? 0 : Math.min(1, received / total)})`;
}
