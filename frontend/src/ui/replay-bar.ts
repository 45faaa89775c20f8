/** What controls a replay: play, speed, whom to follow, the moments on the line of time, a still and a clip. */
import { TICKS_PER_SECOND } from '../physics/numbers';
import type { Moment, MomentKind } from '../race/moments';
import { type Replay, SPEEDS } from '../race/replay';
import { css } from '../view/palette';
import { h, setText } from './dom';
import { lapTime } from './format';

export interface ReplayActions {
  close(): void;
  still(): void;
  /** Begin or end a clip; null where the browser cannot record. */
  clip: (() => void) | null;
  seek(tick: number): void;
  follow(car: number): void;
}

const KIND_TEXT: Record<MomentKind, string> = {
  pass: 'passes',
  contact: 'touches',
  off: 'leaves the road',
  lap: 'ends a lap',
  finish: 'finishes',
  out: 'is out',
};
/** How long before a moment to begin. */
const RUN_UP_TICKS = 2 * TICKS_PER_SECOND;

export class ReplayBar {
  readonly root: HTMLElement;
  private readonly playButton = h('button', { type: 'button', class: 'replay-play' });
  private readonly time = h('b', { class: 'replay-time', 'data-testid': 'replay-time' });
  private readonly line: HTMLInputElement;
  private readonly clipButton: HTMLButtonElement;
  private readonly told = h('p', { class: 'replay-told', role: 'status' });

  constructor(
    private readonly replay: Replay,
    private readonly actions: ReplayActions,
  ) {
    this.line = h('input', {
      ...{ type: 'range', step: 1, 'aria-label': 'Time of the race' },
      ...{ min: replay.first, max: replay.last, value: replay.first },
    });
    this.line.addEventListener('input', () => actions.seek(Number(this.line.value)));
    this.playButton.addEventListener('click', () => this.togglePlay());
    this.clipButton = h('button', { type: 'button', disabled: actions.clip === null }, 'Save a clip');
    this.clipButton.addEventListener('click', () => actions.clip?.());
    this.root = h(
      'section',
      { class: 'replay-bar', 'aria-label': 'Replay' },
      h('div', { class: 'replay-line' }, this.line, this.marks()),
      h(
        'div',
        { class: 'replay-row' },
        this.playButton,
        this.time,
        this.speeds(),
        this.cars(),
        this.momentChoice(),
        h('button', { type: 'button', onclick: () => actions.still() }, 'Save a still'),
        this.clipButton,
        h('button', { type: 'button', class: 'primary', onclick: () => actions.close() }, 'Results'),
      ),
      this.told,
    );
  }

  open(): void {
    this.update();
    this.playButton.focus();
  }

  private togglePlay(): void {
    const { replay } = this;
    if (!replay.playing && replay.tick >= replay.last) this.actions.seek(replay.first);
    replay.playing = !replay.playing;
    this.update();
  }

  /** What time it is. */
  update(): void {
    setText(this.playButton, this.replay.playing ? 'Pause' : 'Play');
    setText(this.time, lapTime(this.replay.tick));
    if (document.activeElement !== this.line) this.line.value = String(this.replay.tick);
  }

  setClip(secondsLeft: number | null): void {
    setText(this.clipButton, secondsLeft === null ? 'Save a clip' : `Stop (${Math.ceil(secondsLeft)} s)`);
  }

  say(text: string): void {
    setText(this.told, text);
  }

  private speeds(): HTMLElement {
    const select = h('select', { 'aria-label': 'Speed' });
    for (const speed of SPEEDS) {
      const option = h('option', { value: speed }, `${speed}×`);
      option.selected = speed === this.replay.speed;
      select.append(option);
    }
    select.addEventListener('change', () => {
      this.replay.speed = Number(select.value);
    });
    return select;
  }

  private cars(): HTMLElement {
    const select = h('select', { 'aria-label': 'Car' });
    for (const { number, entrant } of this.replay.cars)
      select.append(h('option', { value: number }, entrant.name));
    select.addEventListener('change', () => this.actions.follow(Number(select.value)));
    return select;
  }

  /** The moments in words, to go to. */
  private momentChoice(): HTMLElement {
    const { moments } = this.replay;
    const select = h('select', { 'aria-label': 'Moment', disabled: moments.length === 0 });
    select.append(h('option', { value: '' }, moments.length > 0 ? 'Moments' : 'No moments'));
    for (const [n, moment] of moments.entries())
      select.append(h('option', { value: n }, this.textOf(moment)));
    select.addEventListener('change', () => this.goTo(moments[Number(select.value)]));
    return select;
  }

  private goTo(moment: Moment | undefined): void {
    if (!moment) return;
    const cars = this.root.querySelector<HTMLSelectElement>('select[aria-label=Car]')!;
    cars.value = String(moment.car);
    this.actions.follow(moment.car);
    this.actions.seek(moment.tick - RUN_UP_TICKS);
    this.replay.playing = true;
    this.update();
  }

  private textOf({ tick, kind, car, other }: Moment): string {
    const name = (number: number) => this.replay.cars[number]?.entrant.name ?? '';
    const whom = other === null ? '' : ` ${name(other)}`;
    return `${lapTime(tick)} ${name(car)} ${KIND_TEXT[kind]}${whom}`;
  }

  /** A mark on the line for every moment, in the colour of its car. */
  private marks(): HTMLElement {
    const { first, last, cars, moments } = this.replay;
    const marks = h('div', { class: 'replay-marks', 'aria-hidden': 'true' });
    for (const { tick, kind, car } of moments) {
      if (tick < first) continue;
      const mark = h('i', { class: `mark-${kind}` });
      mark.style.left = `${(100 * (tick - first)) / Math.max(1, last - first)}%`;
      mark.style.setProperty('--colour', css(cars[car]?.entrant.colour ?? 0xffffff));
      marks.append(mark);
    }
    return marks;
  }
}
