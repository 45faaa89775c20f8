/** Watching a training: its newest self takes the wheel as it is written. */

import type { Grid } from '../race/drivers';
import type { Garage } from '../race/garage';
import { bestLap } from '../race/laps';
import type { PolicyEntry, RunEntry } from '../site/data';
import { Live, liveAddress } from '../site/live';
import { reasonOf } from '../site/reasons';
import { steps } from '../ui/format';
import { LearnPanel } from '../ui/learn-panel';
import { COLOURS } from '../view/palette';
import { type LineUp, lineUp, policySeat } from './line-up';

export interface LearningHost {
  grid(): Grid | null;
  /** Put a car on the track that the driver knows. */
  begin(entry: PolicyEntry, line: LineUp): Promise<void>;
  say(text: string): void;
  /** Look for runs that have begun meanwhile. */
  refresh(): Promise<void>;
}

const LOOK_MS = 3000;

export class Learning {
  private readonly panel = new LearnPanel();
  private readonly live: Live;
  private readonly timer = setInterval(() => void this.lookForTraining(), LOOK_MS);
  private entry: RunEntry | null = null;
  private step = 0;
  private lapsBefore = 0;
  private closed = false;

  constructor(
    private readonly garage: Garage,
    private readonly host: LearningHost,
    /** The key of the run to watch; null leaves it to the server, which takes one in training if it can. */
    private readonly run: () => string | null,
  ) {
    document.body.append(this.panel.root);
    this.live = new Live(() => liveAddress(document.baseURI, run()), {
      run: (entry) => this.follow(entry),
      curve: (points) => this.panel.setCurve(points),
      status: (text) => this.panel.setStatus(text),
      policy: (entry) => void this.swapIn(entry),
    });
  }

  /** Another run begins with its own first steps. */
  private follow(entry: RunEntry): void {
    if (entry.key !== this.entry?.key) this.step = 0;
    this.entry = entry;
    this.panel.setRun(entry);
  }

  /** When the run that is shown does not train any more, one that does takes its place. */
  private async lookForTraining(): Promise<void> {
    if (this.entry?.state === 'training') return;
    await this.host.refresh();
    const wanted = this.run();
    if (!this.closed && wanted !== null && wanted !== this.entry?.key) this.live.reconnect();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
    this.live.close();
    this.panel.root.remove();
  }

  /** A lap was finished, or the wheel changed hands. */
  update(): void {
    const laps = this.host.grid()?.race.cars[0]?.laps ?? [];
    this.panel.setDriver(this.step, bestLap(laps.slice(this.lapsBefore), false)?.ticks ?? null);
  }

  /** Hand the wheel to a newer self, on the move if somebody is driving already. */
  private async swapIn(entry: PolicyEntry): Promise<void> {
    try {
      const seat = await policySeat(this.garage, entry, 'AI', COLOURS.ai);
      if (this.closed || entry.step < this.step) return;
      this.step = entry.step;
      const grid = this.host.grid();
      const car = grid?.race.cars[0];
      if (grid && car?.entrant.layout === entry.layout) grid.drivers[0] = seat.driver();
      else await this.host.begin(entry, lineUp([seat]));
      this.lapsBefore = this.host.grid()?.race.cars[0]?.laps.length ?? 0;
      this.host.say(`At the wheel: ${steps(entry.step)} steps`);
      this.update();
    } catch (error) {
      this.panel.setStatus(reasonOf(error));
    }
  }
}
