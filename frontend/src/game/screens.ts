/** Which screen shows: the menu, the race with its pause, the results, or a replay. */

import type { Stats } from '../site/stats';
import type { Hud } from '../ui/hud';
import type { Input } from '../ui/input';
import type { Menu } from '../ui/menu';

export type ScreenName = 'menu' | 'race' | 'results' | 'replay';

export class Screens {
  name: ScreenName = 'menu';
  private results: HTMLElement | null = null;
  private pauseBox: HTMLDialogElement | null = null;

  constructor(
    private readonly menu: Menu,
    private readonly hud: Hud,
    private readonly input: Input,
    private readonly stats: Stats,
  ) {}

  get paused(): boolean {
    return this.pauseBox !== null;
  }

  show(name: ScreenName): void {
    this.name = this.stats.screen = name;
    document.body.dataset.screen = name;
    this.menu.root.hidden = name !== 'menu';
    this.hud.root.hidden = name !== 'race';
    if (name === 'race') this.hud.minimap.layOut();
    if (name !== 'results') this.dropResults();
    this.input.active = name === 'race';
    this.input.letGo();
    if (name === 'race' && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }

  showResults(results: HTMLElement): void {
    this.closePause();
    this.dropResults();
    this.results = results;
    document.body.append(results);
    this.show('results');
    results.querySelector<HTMLElement>('.primary')?.focus();
  }

  /** Say on the results what became of the player's best lap. */
  showDelivery(text: string): void {
    const place = this.results?.querySelector('.delivery');
    if (place) place.textContent = text;
  }

  openPause(open: () => HTMLDialogElement): void {
    this.input.letGo();
    this.pauseBox = open();
  }

  closePause(): void {
    const box = this.pauseBox;
    this.pauseBox = null;
    box?.close();
  }

  private dropResults(): void {
    this.results?.remove();
    this.results = null;
  }
}

export function toggleFullscreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.().catch(() => {});
}
