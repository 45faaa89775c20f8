/** The side panel of a training in progress: who drives now, and its curves. */

import type { Point, RunEntry } from '../site/data';
import type { CurvePoint } from '../site/live';
import { chart } from './charts';
import { h, setText } from './dom';
import { lapTime, steps } from './format';

export class LearnPanel {
  readonly root: HTMLElement;
  private readonly name = h('strong');
  private readonly progress = h('i');
  private readonly state = h('span', { class: 'muted' });
  private readonly driver = h('p', { class: 'learn-driver', 'data-testid': 'learn-driver' });
  private readonly curves = h('div', { class: 'learn-curves' });
  private readonly status = h('p', { class: 'learn-status', role: 'status' });

  constructor() {
    this.root = h(
      'aside',
      { class: 'learn panel', 'aria-label': 'Training' },
      h('header', {}, this.name, this.state),
      h('div', { class: 'bar' }, this.progress),
      this.driver,
      this.curves,
      this.status,
    );
  }

  setRun(run: RunEntry): void {
    setText(this.name, run.name);
    setText(
      this.state,
      `${run.algorithm.toUpperCase()} · ${run.state} · ${steps(run.step)} of ${steps(run.steps)}`,
    );
    this.progress.style.transform = `scaleX(${Math.min(1, run.step / Math.max(1, run.steps)).toFixed(4)})`;
  }

  setDriver(step: number, bestTicks: number | null): void {
    const best = bestTicks === null ? 'no lap yet' : `best lap ${lapTime(bestTicks)}`;
    setText(this.driver, `At the wheel: ${steps(step)} steps · ${best}`);
  }

  setStatus(text: string | null): void {
    setText(this.status, text ?? '');
  }

  setCurve(points: CurvePoint[]): void {
    const of = (value: (point: CurvePoint) => number | null | undefined): Point[] =>
      points.flatMap((point) => {
        const y = value(point);
        return y === null || y === undefined ? [] : [[point.step, y] as Point];
      });
    const reward = of((point) => point.reward);
    const laps = bestSoFar(of((point) => point.best_lap_s ?? evaluated(point)));
    const across = { unit: 'steps', format: steps };
    this.curves.replaceChildren(
      chart({
        label: 'Reward over steps',
        unit: 'reward',
        across,
        series: [{ label: 'reward', className: 'reward', points: reward }],
      }),
      chart({
        label: 'Best lap over steps',
        unit: 'best lap, s',
        across,
        series: [{ label: 'lap', className: 'lap', points: laps }],
      }),
    );
  }
}

/** A best lap is the best until it is beaten: the curve only falls. */
export function bestSoFar(laps: Point[]): Point[] {
  let best = Number.POSITIVE_INFINITY;
  return laps.map(([step, lap]): Point => {
    best = Math.min(best, lap);
    return [step, best];
  });
}

/** The clean lap of an evaluation, whatever its track. */
function evaluated(point: CurvePoint): number | null {
  const laps = Object.entries(point.evaluation ?? {}).filter(([name]) => name.endsWith('clean_lap_sec'));
  return laps[0]?.[1] ?? null;
}
