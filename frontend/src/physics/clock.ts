/** Real time cut into ticks, of one sixtieth of a second unless said otherwise, however often the page is drawn. */
import { TICKS_PER_SECOND } from './numbers';

export const TICK_MS = 1000 / TICKS_PER_SECOND;
/** A page that slept longer than this does not race through what it missed. */
export const MOST_TICKS_AT_ONCE = 30;

export class Clock {
  /** How far real time is past the last tick, as a share of a tick: where between two states to draw. */
  share = 0;
  private lastMs: number | null = null;
  private restMs = 0;

  constructor(
    private readonly tickMs = TICK_MS,
    private readonly most = MOST_TICKS_AT_ONCE,
  ) {}

  /** How many ticks are due at this time. */
  due(nowMs: number): number {
    const elapsed = this.lastMs === null ? 0 : Math.max(0, nowMs - this.lastMs);
    this.lastMs = nowMs;
    this.restMs += elapsed;
    // A display's frame is a hair shorter or longer than a tick; without this, frames would alternate 0 and 2 ticks.
    const ticks = Math.floor((this.restMs + 0.01) / this.tickMs);
    this.restMs = Math.max(0, this.restMs - ticks * this.tickMs);
    this.share = Math.min(1, this.restMs / this.tickMs);
    return Math.min(ticks, this.most);
  }

  /** Forget the time that passed, after a pause or a hidden page. */
  restart(): void {
    this.lastMs = null;
    this.restMs = 0;
  }
}
