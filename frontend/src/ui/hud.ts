/** What lies over the race: times, gap, speed, inputs, minimap, countdown and short messages. */
import type { Car } from '../physics/cars';
import { BEAT_TICKS } from '../race/controller';
import { AHEAD_S, type Expectation } from '../race/foresight';
import { bestLap } from '../race/laps';
import type { Pose } from '../race/poses';
import type { Race } from '../race/race';
import type { RaceCar } from '../race/race-car';
import type { Settings } from '../site/settings';
import { css } from '../view/palette';
import { controlsCard, fillControls } from './controls-card';
import { h, setClass, setText } from './dom';
import { gap, lapTime } from './format';
import { Minimap } from './minimap';
import { RaceGaps } from './race-gaps';

const TOAST_MS = 2600;
const GAP_SHOWN_TICKS = 240;

export interface HudButtons {
  pause(): void;
  mute(): void;
  fullscreen(): void;
}

/** Where everybody is drawn. */
export interface ShownCars {
  poses: Pose[];
  ghost: Pose | null;
}

interface InputsView {
  root: HTMLElement;
  wheel: HTMLElement;
  throttle: HTMLElement;
  brake: HTMLElement;
}

export class Hud {
  readonly root: HTMLElement;
  readonly minimap: Minimap;
  private readonly place = h('b', { class: 'hud-place' });
  private readonly lap = h('span', { class: 'hud-lap' });
  private readonly current = h('b', { class: 'hud-current', 'data-testid': 'current-lap' });
  private readonly last = h('span', { class: 'hud-last', 'data-testid': 'last-lap' });
  private readonly best = h('span', { class: 'hud-best', 'data-testid': 'best-lap' });
  private readonly gaps = new RaceGaps();
  private readonly gapChip = h('div', { class: 'hud-gap', 'data-testid': 'gap' });
  private readonly speed = h('b', { 'data-testid': 'speed' });
  private readonly speedUnit = h('small', {});
  private readonly speedBar = h('i', {});
  private readonly count = h('div', { class: 'hud-count', 'aria-live': 'assertive' });
  private readonly toast = h('div', { class: 'hud-toast', role: 'status' });
  private readonly notices = h('div', { class: 'hud-notices', role: 'alert' });
  private readonly title = h('p', { class: 'hud-title' });
  private readonly expects = h('p', { class: 'hud-expects', 'data-testid': 'expects' });
  private readonly table = h('ol', { class: 'hud-table' });
  private readonly own = inputsView();
  private readonly other = inputsView();
  private readonly controls = controlsCard();
  private readonly muteButton: HTMLElement;
  private readonly touchHint: HTMLElement;
  private toastTimer: ReturnType<typeof setTimeout> | undefined;
  private gapUntil = 0;
  private rows: { root: HTMLElement; name: HTMLElement; value: HTMLElement }[] = [];
  private colours: number[] = [];
  private frame = 0;

  constructor(buttons: HudButtons) {
    const map = h('canvas', { class: 'hud-map', 'aria-hidden': 'true' });
    this.minimap = new Minimap(map);
    this.muteButton = iconButton('Mute (M)', 'sound', buttons.mute);
    this.touchHint = h(
      'div',
      { class: 'touch-hint', 'aria-hidden': 'true' },
      h('span', { class: 'touch-steer' }, 'steer'),
      h('span', { class: 'touch-throttle' }, 'throttle'),
      h('span', { class: 'touch-brake' }, 'brake'),
    );
    this.root = h(
      'div',
      { class: 'hud', hidden: true },
      h(
        'div',
        { class: 'hud-left' },
        h('div', { class: 'hud-card hud-race' }, this.place, this.lap),
        this.gaps.root,
        this.title,
        this.expects,
        this.table,
      ),
      h(
        'div',
        { class: 'hud-middle' },
        h('div', { class: 'hud-card hud-times' }, this.current, h('div', {}, this.last, this.best)),
        this.gapChip,
        this.toast,
        this.notices,
      ),
      h(
        'div',
        { class: 'hud-right' },
        h(
          'div',
          { class: 'hud-buttons' },
          iconButton('Pause (Esc)', 'pause', buttons.pause),
          this.muteButton,
          iconButton('Fullscreen (F)', 'fullscreen', buttons.fullscreen),
        ),
        map,
      ),
      h('div', { class: 'hud-inputs' }, this.own.root, this.other.root),
      h(
        'div',
        { class: 'hud-card hud-speed' },
        this.speed,
        this.speedUnit,
        h('div', { class: 'bar' }, this.speedBar),
      ),
      this.count,
      this.controls,
      this.touchHint,
    );
  }

  /** Make ready for a race: rows for the cars, nothing left of the one before. */
  begin(race: Race): void {
    this.colours = race.cars.map((car) => car.entrant.colour);
    setText(this.title, race.title);
    setText(this.speedUnit, race.fleet.car.speedUnit);
    this.minimap.setTrack(race.fleet.track.file);
    this.gaps.root.hidden = race.contact === null;
    this.gapUntil = 0;
    this.toast.classList.remove('shown');
    this.rows = race.cars.length > 2 ? race.cars.map(() => tableRow()) : [];
    this.table.replaceChildren(...this.rows.map((row) => row.root));
    const rival = race.cars.find((car) => car.entrant.kind !== 'human');
    const followed = race.human ?? race.cars[0];
    setText(this.own.root.querySelector('span')!, followed?.entrant.name ?? '');
    setText(this.other.root.querySelector('span')!, rival?.entrant.name ?? '');
  }

  /** What the driver whose senses are shown expects, in words. */
  showExpected(expected: Expectation | null, car: Car): void {
    setText(this.expects, expected ? expectedWords(expected, car) : '');
  }

  update(race: Race, followed: RaceCar, { poses, ghost }: ShownCars, settings: Settings): void {
    this.frame += 1;
    const rival = race.cars.length > 1 ? this.rivalOf(race, followed) : null;
    this.updateTimes(race, followed);
    this.updateGap(race, followed, race.contact ? null : rival);
    this.gaps.update(race, followed);
    const { speedFactor, topSpeed } = race.fleet.car;
    setText(this.speed, String(Math.round(followed.now.speed * speedFactor)));
    this.speedBar.style.transform = `scaleX(${Math.min(1, followed.now.speed / topSpeed).toFixed(3)})`;
    this.updateCount(race);
    this.showControls(race.human !== null && !settings.hasDriven);
    showInputs(this.own, settings.showInputs, followed);
    showInputs(this.other, settings.showRivalInputs && rival !== null, rival ?? followed);
    if (this.frame % 3 === 0) this.minimap.draw(poses, this.colours, ghost);
    if (this.frame % 12 === 0) this.updateTable(race);
  }

  setMuted(muted: boolean): void {
    setClass(this.muteButton, 'off', muted);
    this.muteButton.setAttribute('aria-pressed', String(muted));
  }

  showTouch(): void {
    this.root.classList.add('touch');
  }

  /** A short message under the times. */
  say(text: string, kind: 'good' | 'bad' | 'best' | 'plain' = 'plain'): void {
    this.toast.className = `hud-toast shown ${kind}`;
    setText(this.toast, text);
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => this.toast.classList.remove('shown'), TOAST_MS);
  }

  /** Something the player must know: it stays until it is read and closed. */
  notify(text: string): void {
    if ([...this.notices.children].some((notice) => notice.firstChild?.textContent === text)) return;
    const close = h('button', { type: 'button', 'aria-label': 'Close this message' }, 'OK');
    const notice = h('div', { class: 'hud-card hud-notice' }, h('span', {}, text), close);
    close.addEventListener('click', () => notice.remove());
    this.notices.append(notice);
  }

  private rivalOf(race: Race, followed: RaceCar): RaceCar | null {
    return race.standings().find((car) => car !== followed) ?? null;
  }

  private updateTimes(race: Race, car: RaceCar): void {
    const of = race.targetLaps > 0 ? `/${race.targetLaps}` : '';
    setText(this.lap, `LAP ${race.lapNumber(car)}${of}`);
    const rank = race.standings().indexOf(car) + 1;
    const field = race.contact ? `/${race.cars.length}` : '';
    setText(this.place, race.cars.length > 1 ? `P${rank}${field}` : '');
    setClass(this.place, 'first', rank === 1);
    const lastLap = car.laps.at(-1);
    const shown = car.finishTick !== null && lastLap ? lastLap.ticks : race.lapTicks(car);
    setText(this.current, lapTime(shown));
    setClass(this.current, 'spoiled', car.offence !== null);
    setText(this.last, `LAST ${lapTime(lastLap?.ticks)}`);
    setClass(this.last, 'struck', lastLap !== undefined && !lastLap.clean);
    setText(this.best, `BEST ${lapTime(bestLap(car.laps, true)?.ticks)}`);
  }

  /** The gap at checkpoints: it shows when it changes and stays a while. */
  private updateGap(race: Race, car: RaceCar, rival: RaceCar | null): void {
    const ticks = rival ? race.gap(car, rival) : null;
    if (ticks === null || !rival) {
      setClass(this.gapChip, 'shown', false);
      return;
    }
    const newest = Math.max(car.splits.at(-1) ?? 0, rival.splits.at(-1) ?? 0);
    if (newest + GAP_SHOWN_TICKS > this.gapUntil) this.gapUntil = newest + GAP_SHOWN_TICKS;
    setClass(this.gapChip, 'shown', race.tick < this.gapUntil);
    setClass(this.gapChip, 'ahead', ticks <= 0);
    setText(this.gapChip, `${gap(ticks, 2)}  ${rival.entrant.name}`);
  }

  private updateCount(race: Race): void {
    const { phase, countdownBeat, countdownTicksLeft, respawnTicksLeft } = race.controller;
    const counting = phase === 'countdown';
    setClass(this.count, 'shown', counting || phase === 'respawning');
    setClass(this.count, 'go', counting && countdownBeat === 0);
    setClass(this.count, 'small', phase === 'respawning');
    if (counting) {
      setText(this.count, countdownBeat === 0 ? 'GO' : String(countdownBeat));
      // A line that runs out with every beat: when that of GO is gone, cars may move.
      this.count.style.setProperty('--left', (countdownTicksLeft / BEAT_TICKS).toFixed(3));
    }
    if (respawnTicksLeft > 0) setText(this.count, 'Back to the track');
  }

  private showControls(shown: boolean): void {
    if (this.controls.hidden !== shown) return;
    this.controls.hidden = !shown;
    if (shown) fillControls(this.controls);
  }

  private updateTable(race: Race): void {
    if (this.rows.length === 0) return;
    const order = race.standings();
    const leader = order[0]!;
    for (const [rank, car] of order.entries()) {
      const row = this.rows[rank]!;
      setText(row.name, car.entrant.name);
      const behind = race.gap(car, leader);
      const done = car.finishTick === null ? gapText(behind) : lapTime(car.finishTick);
      setText(row.value, rank === 0 && car.finishTick === null ? `lap ${race.lapNumber(car)}` : done);
      row.root.style.setProperty('--colour', css(car.entrant.colour));
      setClass(row.root, 'me', car === race.human);
      if (car.gaveUp) setText(row.value, 'out');
    }
  }
}

function gapText(ticks: number | null): string {
  return ticks === null ? '' : gap(ticks, 2);
}

function tableRow() {
  const name = h('span', {});
  const value = h('em', {});
  return { root: h('li', {}, h('i', {}), name, value), name, value };
}

function inputsView(): InputsView {
  const wheel = h('i', {});
  const throttle = h('i', {});
  const brake = h('i', {});
  const root = h(
    'div',
    { class: 'hud-card inputs', hidden: true },
    h('span', {}),
    h('div', { class: 'inputs-steer' }, wheel),
    h('div', { class: 'inputs-pedal brake' }, brake),
    h('div', { class: 'inputs-pedal throttle' }, throttle),
  );
  return { root, wheel, throttle, brake };
}

function showInputs(view: InputsView, shown: boolean, car: RaceCar): void {
  if (view.root.hidden === shown) view.root.hidden = !shown;
  if (!shown) return;
  const { steer, throttle, brake } = car.asked;
  view.wheel.style.transform = `translateX(${(steer * 100).toFixed(0)}%)`;
  view.throttle.style.transform = `scaleY(${throttle.toFixed(2)})`;
  view.brake.style.transform = `scaleY(${brake.toFixed(2)})`;
}

export function iconButton(label: string, icon: string, press: () => void): HTMLButtonElement {
  const button = h('button', {
    class: `icon icon-${icon}`,
    type: 'button',
    title: label,
    'aria-label': label,
  });
  button.addEventListener('click', (event) => {
    button.blur();
    event.preventDefault();
    press();
  });
  return button;
}

function expectedWords({ name, gained, speed, leavesRoad }: Expectation, car: Car): string {
  const pace = `${Math.round(speed * car.speedFactor)} ${car.speedUnit}`;
  const way = `${Math.round(gained)} ${car.distanceUnit}`;
  return `${name} expects in ${AHEAD_S} s: ${way} on, ${pace}${leavesRoad ? ', off the road' : ''}`;
}
