/** Everything around the road: gauges, mission, supervisor, orders, and what was said. */
import { choiceRow, h, setClass, setText, toggle } from '../ui/dom';
import type { HighwayDrive } from './drive';
import { NO_GRAMMAR, READY_ORDERS, type ReadyOrder } from './orders';
import type { WheelChoice } from './wheel';
import { missionText, RULE_TEXT, waitsForGap } from './words';

export const DENSITIES = [
  { value: 8, label: 'Light' },
  { value: 20, label: 'Usual' },
  { value: 36, label: 'Dense' },
];
const GAUGE_MPH = 85;
const MOST_LINES = 40;

export interface PanelActions {
  order(text: string): void;
  press(ready: ReadyOrder): void;
  talk(on: boolean): void;
  choose(driver: string): void;
  density(vehicles: number): void;
  anotherScene(): void;
  pause(): void;
  speaks(on: boolean): void;
}

export interface PanelOptions {
  hasServer: boolean;
  voiceObstacle: string | null;
  speaks: boolean;
  vehicles: number;
}

type Who = 'you' | 'car' | 'note';

export class Panel {
  readonly canvas = h('canvas', { id: 'road', role: 'img', 'aria-label': 'The road from above' });
  readonly road = h('div', { class: 'hw-road' }, this.canvas);
  private readonly speed = h('strong', { 'data-testid': 'speed' });
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
  private readonly box = h('input', {
    type: 'text',
    id: 'order',
    maxlength: 400,
    autocomplete: 'off',
    placeholder: '“move one lane left”, “cruise at 62, keep three seconds”, “pass this truck”…',
    'aria-label': 'Order',
  });
  private readonly talkButton: HTMLButtonElement;
  private readonly pauseButton: HTMLButtonElement;
  private readonly wheel = h('select', { 'aria-label': 'Driver' });
  private readonly buttons = new Map<ReadyOrder, HTMLButtonElement>();

  constructor(
    private readonly actions: PanelActions,
    private readonly options: PanelOptions,
  ) {
    this.wheel.addEventListener('change', () => actions.choose(this.wheel.value));
    this.talkButton = this.pushToTalk();
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

  setListening(on: boolean): void {
    setClass(this.talkButton, 'on', on);
    setText(this.talkButton, on ? 'Listening…' : 'Hold to talk');
  }

  /** Add a line to what was said. */
  tell(who: Who, text: string): void {
    const line = h('li', { class: who }, text);
    this.log.append(line);
    while (this.log.children.length > MOST_LINES) this.log.firstElementChild!.remove();
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Bring everything up to date; `rule` is the one of the supervisor to show. */
  show(drive: HighwayDrive, rule: string | null): void {
    const { road } = drive;
    const mph = (mps: number) => mps / road.file.mph;
    const speed = mph(road.value('vehicles', 'speed_mps'));
    const target = mph(road.value('roads', 'mission_speed_mps'));
    const limit = mph(road.limit_mps(road.value('vehicles', 'target_lane')));
    setText(this.speed, String(Math.round(speed)));
    place(this.bar, 'width', speed);
    place(this.target, 'left', target);
    place(this.limit, 'left', limit);
    setClass(this.bar, 'fast', speed > limit + 1.5);
    const gap = drive.moment(1).leader?.gap_m;
    const ahead = gap === undefined ? 'free road' : `gap ${Math.round(gap)} m`;
    setText(this.facts, `target ${Math.round(target)} · limit ${Math.round(limit)} · ${ahead}`);
    this.showMission(drive);
    setText(this.guard, rule ? `${rule.replace('_', ' ')}: ${RULE_TEXT[rule]}` : 'on watch');
    setClass(this.guardBox, 'steps-in', rule !== null);
    for (const [ready, button] of this.buttons) {
      const can = ready.order(drive) !== null;
      if (button.disabled === can) button.disabled = !can;
    }
  }

  private showMission(drive: HighwayDrive): void {
    const limit_s = drive.road.file.time_limits_s[drive.road.file.modes.indexOf(drive.mode)]!;
    const running = drive.mode !== 'hold';
    setText(this.mission, missionText(drive));
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
      h(
        'div',
        { class: 'hw-tools' },
        h('button', { type: 'button', onclick: () => actions.anotherScene(), title: 'N' }, 'New road'),
        this.pauseButton,
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
      h('p', { class: 'hw-speed' }, this.speed, h('span', {}, 'mph')),
      h('div', { class: 'hw-bar' }, this.bar, this.target, this.limit),
      this.facts,
    );
  }

  private orders(): HTMLElement {
    const { actions, options } = this;
    const form = h(
      'form',
      { class: 'hw-order' },
      this.box,
      h('button', { class: 'primary', type: 'submit' }, 'Send'),
      this.talkButton,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.box.value.trim()) actions.order(this.box.value);
      this.box.value = '';
    });
    const ready = h('div', { class: 'hw-ready', role: 'group', 'aria-label': 'Orders' });
    for (const one of READY_ORDERS) {
      const button = h('button', { type: 'button', onclick: () => actions.press(one) }, one.label);
      this.buttons.set(one, button);
      ready.append(button);
    }
    const note = options.hasServer ? options.voiceObstacle : NO_GRAMMAR;
    if (!options.hasServer) for (const field of form.elements) (field as HTMLButtonElement).disabled = true;
    return h(
      'section',
      { class: 'hw-orders' },
      form,
      ready,
      h(
        'div',
        { class: 'hw-small' },
        note && h('p', { class: 'muted', 'data-testid': 'order-note' }, note),
        toggle('Speak answers', options.speaks, actions.speaks),
      ),
    );
  }

  private pushToTalk(): HTMLButtonElement {
    const { voiceObstacle } = this.options;
    const button = h(
      'button',
      { type: 'button', class: 'hw-talk', disabled: voiceObstacle !== null, title: voiceObstacle },
      'Hold to talk',
    );
    const begin = (event: Event) => {
      event.preventDefault();
      this.actions.talk(true);
    };
    const isKey = (event: KeyboardEvent) => event.key === ' ' || event.key === 'Enter';
    button.addEventListener('pointerdown', begin);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave', 'blur'])
      button.addEventListener(name, () => this.actions.talk(false));
    button.addEventListener('keydown', (event) => isKey(event) && !event.repeat && begin(event));
    button.addEventListener('keyup', (event) => isKey(event) && this.actions.talk(false));
    return button;
  }
}

function place(element: HTMLElement, side: 'width' | 'left', mph: number): void {
  element.style[side] = `${Math.min(100, Math.max(0, (100 * mph) / GAUGE_MPH)).toFixed(1)}%`;
}
