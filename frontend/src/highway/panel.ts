/** Everything around the road: gauges, mission, supervisor, orders, and what was said. */
import { choiceRow, h, setClass, setText, toggle } from '../ui/dom';
import type { HighwayDrive } from './drive';
import { OrderBox, type OrderBoxActions, type OrderBoxOptions } from './order-box';
import { type ReadyOrder, readyOrders } from './orders';
import { lengthText, speedIn, UNITS, type Units } from './units';
import type { WheelChoice } from './wheel';
import { missionText, RULE_TEXT, waitsForGap } from './words';

export const DENSITIES = [
  { value: 8, label: 'Light' },
  { value: 20, label: 'Usual' },
  { value: 36, label: 'Dense' },
];
const GAUGE_MPS = 38;
const MOST_LINES = 40;

export interface PanelActions extends OrderBoxActions {
  press(ready: ReadyOrder): void;
  choose(driver: string): void;
  density(vehicles: number): void;
  anotherScene(): void;
  pause(): void;
  missions(): void;
  speaks(on: boolean): void;
  night(on: boolean): void;
  units(units: Units): void;
}

export interface PanelOptions extends OrderBoxOptions {
  speaks: boolean;
  night: boolean;
  vehicles: number;
  units: Units;
}

/** The rule of the supervisor to show, and whether it keeps the car from harm. */
export interface ShownRule {
  name: string;
  protects: boolean;
}

type Who = 'you' | 'car' | 'note';

export class Panel {
  readonly canvas = h('canvas', { id: 'road', role: 'img', 'aria-label': 'The road from above' });
  readonly road = h('div', { class: 'hw-road' }, this.canvas);
  private readonly speed = h('strong', { 'data-testid': 'speed' });
  private readonly speedUnit = h('span');
  private readonly bar = h('i', { class: 'hw-bar-fill' });
  private readonly target = h('i', { class: 'hw-bar-target' });
  private readonly limit = h('i', { class: 'hw-bar-limit' });
  private readonly facts = h('p', { class: 'hw-facts', 'data-testid': 'facts' });
  private readonly mission = h('strong', { 'data-testid': 'mission' });
  private readonly missionTime = h('span', { class: 'muted' });
  private readonly missionBar = h('i');
  private readonly guard = h('p', { class: 'hw-guard', 'data-testid': 'supervisor' });
  private readonly guardBox = h(
    'div',
    { class: 'hw-chip hw-guard-box' },
    h('span', { class: 'hw-label' }, 'Supervisor'),
    this.guard,
  );
  private readonly banner = h('p', {
    class: 'hw-banner',
    role: 'status',
    'data-testid': 'fallback',
    hidden: true,
  });
  private readonly log = h('ol', {
    class: 'hw-log',
    'aria-live': 'polite',
    'aria-label': 'What was said',
    'data-testid': 'log',
  });
  readonly orderBox: OrderBox;
  private readonly pauseButton: HTMLButtonElement;
  private readonly wheel = h('select', { 'aria-label': 'Driver' });
  private readonly buttons = new Map<ReadyOrder, HTMLButtonElement>();
  private readonly ready = h('div', { class: 'hw-ready', role: 'group', 'aria-label': 'Orders' });
  /** The decision and the mission for which the buttons were looked at. */
  private looked = '';
  private units: Units;

  constructor(
    private readonly actions: PanelActions,
    private readonly options: PanelOptions,
  ) {
    this.units = options.units;
    this.orderBox = new OrderBox(actions, options);
    this.setUnits(options.units);
    this.wheel.addEventListener('change', () => actions.choose(this.wheel.value));
    this.pauseButton = h('button', { type: 'button', onclick: () => actions.pause(), title: 'P' }, 'Pause');
  }

  /** The page, from top to bottom. */
  build(): HTMLElement {
    const state = h('div', { class: 'hw-state' }, this.missionChip(), this.guardBox);
    this.road.append(state, this.banner);
    const dock = h('div', { class: 'hw-dock' }, this.gauge(), this.orders(), this.log);
    return h('main', { class: 'hw' }, this.header(), this.road, dock);
  }

  setDrivers(choices: WheelChoice[], chosen: string): void {
    const known = Array.from(
      this.wheel.options,
      (option) => `${option.value} ${option.text} ${option.disabled}`,
    );
    const text = ({ label, problem }: WheelChoice) => (problem ? `${label}: ${problem}` : label);
    const wanted = choices.map((one) => `${one.value} ${text(one)} ${one.problem !== null}`);
    if (known.join('\n') !== wanted.join('\n'))
      this.wheel.replaceChildren(
        ...choices.map((one) => h('option', { value: one.value, disabled: one.problem !== null }, text(one))),
      );
    this.wheel.value = chosen;
  }

  setBanner(text: string | null): void {
    this.banner.hidden = text === null;
    setText(this.banner, text ?? '');
    this.banner.title = text ?? '';
  }

  setPaused(paused: boolean): void {
    setText(this.pauseButton, paused ? 'Go on' : 'Pause');
  }

  setUnits(units: Units): void {
    this.units = units;
    setText(this.speedUnit, units);
    this.orderBox.setUnits(units);
    this.buttons.clear();
    for (const one of readyOrders(units))
      this.buttons.set(
        one,
        h('button', { type: 'button', onclick: () => this.actions.press(one) }, one.label),
      );
    this.ready.replaceChildren(...this.buttons.values());
    this.looked = '';
  }

  /** Add a line to what was said. */
  tell(who: Who, text: string): void {
    const line = h('li', { class: who }, text);
    this.log.append(line);
    while (this.log.children.length > MOST_LINES) this.log.firstElementChild!.remove();
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Bring everything up to date. */
  show(drive: HighwayDrive, rule: ShownRule | null): void {
    const { road } = drive;
    const { units } = this;
    const speed = road.value('vehicles', 'speed_mps');
    const target = road.value('roads', 'mission_speed_mps');
    const limit = road.limit_mps(road.value('vehicles', 'target_lane'));
    const rounded = (mps: number) => Math.round(speedIn(units, mps));
    setText(this.speed, String(rounded(speed)));
    place(this.bar, 'width', speed);
    place(this.target, 'left', target);
    place(this.limit, 'left', limit);
    setClass(this.bar, 'fast', speed > limit + 0.7);
    const gap = drive.moment(1).leader?.gap_m;
    const ahead = gap === undefined ? 'free road' : `gap ${lengthText(units, gap)}`;
    setText(this.facts, `target ${rounded(target)} · limit ${rounded(limit)} · ${ahead}`);
    this.showMission(drive);
    setText(this.guard, rule ? `${rule.name.replace('_', ' ')}: ${RULE_TEXT[rule.name]}` : 'on watch');
    setClass(this.guardBox, 'steps-in', rule?.protects ?? false);
    this.showButtons(drive);
  }

  /** Buttons of orders that cannot be now are off; looked at once in a decision. */
  private showButtons(drive: HighwayDrive): void {
    const now = ['decision', 'mission_number'].map((name) => drive.road.value('roads', name)).join();
    if (now === this.looked) return;
    this.looked = now;
    for (const [ready, button] of this.buttons) button.disabled = ready.order(drive) === null;
  }

  private showMission(drive: HighwayDrive): void {
    const limit_s = drive.road.value('roads', 'mission_limit_s');
    const running = drive.mode !== 'hold';
    setText(this.mission, missionText(drive, this.units));
    const waits = waitsForGap(drive) ? 'waiting for a gap · ' : '';
    setText(
      this.missionTime,
      running ? `${waits}${drive.missionTime_s.toFixed(0)} of ${limit_s.toFixed(0)} s` : 'give an order',
    );
    this.missionBar.style.width = `${running ? Math.min(100, (100 * drive.missionTime_s) / limit_s) : 0}%`;
  }

  private header(): HTMLElement {
    const { actions, options } = this;
    return h(
      'header',
      { class: 'hw-top' },
      h(
        'a',
        { class: 'logo', href: './', title: 'To the race track' },
        h('h1', {}, 'HOT', h('em', {}, 'LAP')),
        h('span', {}, 'highway'),
      ),
      h('label', { class: 'driver' }, h('span', {}, 'Driver'), this.wheel),
      choiceRow('Traffic', DENSITIES, options.vehicles, (vehicles) => actions.density(vehicles)),
      choiceRow(
        'Units',
        UNITS.map((value) => ({ value, label: value })),
        options.units,
        (units) => actions.units(units),
      ),
      h(
        'div',
        { class: 'hw-tools' },
        h('button', { type: 'button', onclick: () => actions.anotherScene(), title: 'N' }, 'New road'),
        this.pauseButton,
        h('button', { type: 'button', onclick: () => actions.missions() }, 'Missions'),
        h('a', { class: 'button', href: './' }, 'Race track'),
      ),
    );
  }

  private missionChip(): HTMLElement {
    return h(
      'div',
      { class: 'hw-chip' },
      h('span', { class: 'hw-label' }, 'Mission'),
      this.mission,
      this.missionTime,
      h('div', { class: 'hw-time' }, this.missionBar),
    );
  }

  private gauge(): HTMLElement {
    return h(
      'section',
      { class: 'hw-gauge', 'aria-label': 'Speed' },
      h('p', { class: 'hw-speed' }, this.speed, this.speedUnit),
      h('div', { class: 'hw-bar' }, this.bar, this.target, this.limit),
      this.facts,
    );
  }

  private orders(): HTMLElement {
    const { actions, options } = this;
    return h(
      'section',
      { class: 'hw-orders' },
      this.orderBox.form,
      this.ready,
      h(
        'div',
        { class: 'hw-small' },
        this.orderBox.note,
        h(
          'div',
          { class: 'hw-toggles' },
          toggle('Night', options.night, actions.night),
          toggle('Speak answers', options.speaks, actions.speaks),
        ),
      ),
    );
  }
}

function place(element: HTMLElement, side: 'width' | 'left', speed_mps: number): void {
  element.style[side] = `${Math.min(100, Math.max(0, (100 * speed_mps) / GAUGE_MPS)).toFixed(1)}%`;
}
