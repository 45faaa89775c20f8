/** What the page costs, for whoever measures it: `window.hotlapStats`. */

declare global {
  interface Window {
    hotlapStats: Stats;
  }
}

const KEPT_FRAMES = 600;

export class Stats {
  /** Milliseconds since navigation at which the menu could be used. */
  playableMs: number | null = null;
  renderer = '';
  frames = 0;
  ticks = 0;
  cars = 0;
  screen = 'loading';
  phase = '';
  /** Milliseconds of work in each of the last frames. */
  readonly workMs: number[] = [];

  frame(workMs: number, ticks: number): void {
    this.frames += 1;
    this.ticks += ticks;
    this.workMs.push(workMs);
    if (this.workMs.length > KEPT_FRAMES) this.workMs.shift();
  }

  reset(): void {
    this.workMs.length = 0;
    this.frames = 0;
    this.ticks = 0;
  }
}
