/** The first screen: how to race, where, how long, against whom. */

import { CLASSIC } from '../physics/cars';
import { TICKS_PER_SECOND } from '../physics/numbers';
import { type BoardLap, eventKey } from '../race/board';
import type { Catalogue } from '../race/catalogue';
import { FOLLOWS } from '../race/ladder';
import { medalOf, nextMedal } from '../race/medals';
import { isRaceLayout, type PolicyEntry, type RunEntry, type TrackSummary } from '../site/data';
import {
  LAP_CHOICES,
  MOST_OPPONENTS,
  type Mode,
  ORDERS,
  type Settings,
  type StartOrder,
} from '../site/settings';
import { thumbnail } from './charts';
import { choiceRow, h, setClass, setText, toggle } from './dom';
import { lapTime, steps } from './format';

export interface MenuActions {
  start(): void;
  changed(): void;
  openSettings(): void;
  openBoard(): void;
  fullscreen(): void;
  /** Look for new runs and drivers. */
  refresh(): void;
}

const MODE_TEXT: Record<Mode, { label: string; text: string }> = {
  versus: {
    label: 'Versus AI',
    text: 'You and the machine on one track. It is a ghost: no contact, no excuses.',
  },
  race: {
    label: 'Race',
    text: 'Up to seven machines on one road, and they are no ghosts: contact, slipstream, places and faults.',
  },
  solo: { label: 'Solo', text: 'Only you and the clock.' },
  spectate: { label: 'Spectate', text: 'Watch the AI drive.' },
  younger: {
    label: 'Younger selves',
    text: 'Up to eight checkpoints of one training on the track at once: watch learning happen.',
  },
  learn: {
    label: 'Watch it learn',
    text: 'A training in progress: its newest driver takes the wheel as it is written.',
  },
};

const ORDER_TEXT: Record<StartOrder, string> = { last: 'Last', first: 'First', drawn: 'Drawn' };

export class Menu {
  readonly root: HTMLElement;
  private readonly carRow = h('div', { class: 'menu-cars' });
  private readonly modes = h('div', { class: 'menu-modes' });
  private readonly modeText = h('p', { class: 'menu-mode-text' });
  private readonly cards = h('div', { class: 'cards', role: 'radiogroup', 'aria-label': 'Track' });
  private readonly choices = h('div', { class: 'menu-choices' });
  private readonly note = h('p', { class: 'menu-note', role: 'status' });
  private readonly startButton: HTMLButtonElement;
  private bestLaps: Record<string, BoardLap> = {};
  private flyingLaps: Record<string, number> = {};
  private covered: number | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly catalogue: Catalogue,
    private readonly actions: MenuActions,
  ) {
    this.startButton = h(
      'button',
      { class: 'primary start', type: 'button', onclick: () => actions.start() },
      'Start',
    );
    this.root = h(
      'main',
      { class: 'menu', 'aria-label': 'Menu' },
      h(
        'div',
        { class: 'menu-body' },
        h(
          'header',
          { class: 'logo' },
          h('h1', {}, 'HOT', h('em', {}, 'LAP')),
          h('p', {}, 'It learned to drive in minutes. Try to beat it.'),
        ),
        this.modes,
        this.modeText,
        this.carRow,
        this.cards,
        this.choices,
      ),
      h(
        'footer',
        { class: 'menu-foot' },
        this.note,
        this.startButton,
        h(
          'div',
          { class: 'menu-links' },
          h('button', { type: 'button', onclick: () => actions.openBoard() }, 'Lap board'),
          h('button', { type: 'button', onclick: () => actions.openSettings() }, 'Settings'),
          h('button', { type: 'button', onclick: () => actions.fullscreen() }, 'Fullscreen'),
          h(
            'a',
            { class: 'button', href: 'highway.html', title: 'Tell a car in traffic what to do' },
            'Highway',
          ),
        ),
      ),
    );
    this.render();
    window.addEventListener('resize', () => {
      this.covered = null;
    });
  }

  /** Best laps to show on the cards. */
  setRecords(best: Record<string, BoardLap>, flyingLaps: Record<string, number>): void {
    this.bestLaps = best;
    this.flyingLaps = flyingLaps;
    this.renderCards();
  }

  render(): void {
    this.renderModes();
    this.renderCars();
    this.renderCards();
    this.renderChoices();
    this.renderNote();
  }

  /** What depends on runs and drivers, after these changed; not under the hand of somebody who is choosing. */
  renderRuns(): void {
    if (this.choices.contains(document.activeElement)) return;
    this.renderChoices();
    this.renderNote();
  }

  /** How much of the window's width the menu hides; nothing counts where it hides all. */
  coveredShare(): number {
    if (this.covered === null) {
      const share = this.root.offsetWidth / window.innerWidth;
      this.covered = share > 0.8 ? 0 : share;
    }
    return this.covered;
  }

  /** Say why a race could not begin. */
  complain(reason: string): void {
    setText(this.note, reason);
    setClass(this.note, 'remark', false);
  }

  focusStart(): void {
    this.startButton.focus({ preventScroll: true });
  }

  private change(part: Partial<Settings>): void {
    Object.assign(this.settings, part);
    this.actions.changed();
  }

  /** Why a mode cannot be played now; null when it can. */
  private obstacle(mode: Mode): string | null {
    const { track, car } = this.settings;
    if (mode === 'solo') return null;
    if (mode === 'learn')
      return this.catalogue.site.server
        ? null
        : 'Watching a training needs “hotlap play”; this is a copy of the game without a server.';
    if (mode === 'younger')
      return this.catalogue.runWithAges(this.settings)
        ? null
        : 'No run with several checkpoints for this track yet: run “hotlap train”, then reload.';
    if (mode === 'race')
      return this.catalogue.racersFor(track, car).length > 0
        ? null
        : (this.catalogue.whyNoDriver(track, car) ?? 'Nobody who is here knows this track.');
    if (mode === 'versus' && this.catalogue.ghostOf(track, car)) return null;
    return this.catalogue.whyNoDriver(track, car);
  }

  /** What else there is to know about a race that can begin. */
  private remark(mode: Mode): string {
    const { track, car } = this.settings;
    const alone = mode === 'versus' ? this.catalogue.whyNoDriver(track, car) : null;
    return alone ? `${alone} You race the clock and the ghost of the reference lap.` : '';
  }

  private renderCars(): void {
    const row = choiceRow(
      'Car',
      this.catalogue.cars.map(({ id, name }) => ({ value: id, label: name })),
      this.settings.car,
      (car) => {
        this.change({ car, track: this.catalogue.track(this.settings.track, car).id });
        this.renderCards();
        this.renderChoices();
        this.renderNote();
      },
    );
    this.carRow.replaceChildren(row);
    this.carRow.hidden = this.catalogue.cars.length < 2;
  }

  private renderModes(): void {
    const row = choiceRow(
      'Mode',
      (Object.keys(MODE_TEXT) as Mode[]).map((value) => ({ value, label: MODE_TEXT[value].label })),
      this.settings.mode,
      (mode) => {
        this.change({ mode });
        this.renderChoices();
        this.renderNote();
        if (mode === 'learn' || mode === 'younger') this.actions.refresh();
      },
    );
    this.modes.replaceChildren(row);
  }

  private renderNote(): void {
    setText(this.modeText, MODE_TEXT[this.settings.mode].text);
    const obstacle = this.obstacle(this.settings.mode);
    setText(this.note, obstacle ?? this.remark(this.settings.mode));
    setClass(this.note, 'remark', obstacle === null);
    this.startButton.disabled = obstacle !== null;
    setText(
      this.startButton,
      this.settings.mode === 'spectate' || this.settings.mode === 'learn' ? 'Watch' : 'Race',
    );
  }

  private renderCards(): void {
    const hadFocus = this.cards.contains(document.activeElement);
    const tracks = this.catalogue.tracksFor(this.settings.car);
    this.cards.replaceChildren(...tracks.map((track) => this.card(track)));
    if (hadFocus) this.cards.querySelector<HTMLInputElement>('input:checked')?.focus({ preventScroll: true });
  }

  private card(track: TrackSummary): HTMLElement {
    const radio = h('input', {
      type: 'radio',
      name: 'track',
      value: track.id,
      checked: track.id === this.settings.track,
      onchange: () => {
        this.change({ track: track.id });
        this.renderChoices();
        this.renderNote();
      },
    });
    const ai = this.bestAi(track.id);
    const fact = (name: string, value: string) => h('div', {}, h('dt', {}, name), h('dd', {}, value));
    return h(
      'label',
      { class: 'card' },
      radio,
      thumbnail(track),
      h('strong', {}, track.name),
      h('span', { class: 'card-length' }, lengthText(track, this.settings.car)),
      this.medal(track),
      h(
        'dl',
        {},
        fact('Human', lapTime(this.bestLaps[eventKey(track.id, this.settings.car)]?.ticks)),
        fact('AI', ai === null ? lapTime(null) : lapTime(Math.round(ai * TICKS_PER_SECOND))),
        fact('Reference', lapTime(track.reference_ticks[this.settings.car])),
      ),
    );
  }

  private bestAi(track: string): number | null {
    const { car } = this.settings;
    const drivers = this.catalogue.list.policies.filter(({ cars }) => cars[0] === car);
    const laps = drivers.map((entry) => entry.laps[track]);
    const known = laps.filter((lap) => lap !== undefined);
    return known.length > 0 ? Math.min(...known) : null;
  }

  private medal(track: TrackSummary): HTMLElement {
    const { car } = this.settings;
    const ticks = this.flyingLaps[eventKey(track.id, car)] ?? null;
    const reference = track.reference_ticks[car] ?? null;
    const medal = medalOf(ticks, reference);
    const next = nextMedal(ticks, reference);
    const title = next
      ? `Next: ${next.name} for a clean flying lap in ${lapTime(next.ticks)}`
      : medal
        ? 'Gold'
        : '';
    return h('span', {
      class: `medal ${medal ?? 'none'}`,
      title,
      role: 'img',
      'aria-label': medal ?? 'no medal yet',
    });
  }

  private renderChoices(): void {
    const { mode, laps, track, car } = this.settings;
    this.choices.replaceChildren();
    if (mode !== 'learn')
      this.choices.append(
        choiceRow(
          'Laps',
          LAP_CHOICES.map((value) => ({ value, label: value === 0 ? 'Free' : String(value) })),
          laps,
          (value) => this.change({ laps: value }),
        ),
      );
    if (mode === 'versus' || mode === 'spectate') this.choices.append(this.driverChoice());
    if (mode === 'race') this.choices.append(...this.gridChoices());
    if (mode === 'learn') this.choices.append(this.runChoice(this.catalogue.runs, 'The one in training'));
    if (mode === 'younger')
      this.choices.append(this.runChoice(this.catalogue.runsWithAges(track, car), 'That of the driver'));
    if (mode === 'younger')
      this.choices.append(toggle('Drive along', this.settings.joinIn, (joinIn) => this.change({ joinIn })));
  }

  private runChoice(runs: RunEntry[], usual: string): HTMLElement {
    const select = h('select', { 'aria-label': 'Run' }, h('option', { value: '' }, usual));
    for (const { key, name, state, step } of runs)
      select.append(h('option', { value: key }, `${name} · ${state} · ${steps(step)} steps`));
    select.value = runs.some(({ key }) => key === this.settings.run) ? this.settings.run : '';
    select.addEventListener('change', () => this.change({ run: select.value }));
    return h('label', { class: 'driver' }, h('span', {}, 'Run'), select);
  }

  /** How many race, from where the player starts, and who they are. */
  private gridChoices(): HTMLElement[] {
    const { opponents, order, joinIn, track, car, policy } = this.settings;
    const counts = Array.from({ length: MOST_OPPONENTS }, (_, i) => ({ value: i + 1, label: String(i + 1) }));
    const orders = ORDERS.map((value) => ({ value, label: ORDER_TEXT[value] }));
    const select = h('select', { 'aria-label': 'Field' }, h('option', { value: '' }, 'Everybody there is'));
    for (const entry of this.catalogue.racersFor(track, car)) {
      const option = h('option', { value: entry.key }, racerLabel(entry, track));
      option.selected = entry.key === policy;
      select.append(option);
    }
    select.addEventListener('change', () => this.change({ policy: select.value }));
    return [
      choiceRow('Opponents', counts, opponents, (value) => this.change({ opponents: value })),
      choiceRow('Start', orders, order, (value) => this.change({ order: value })),
      h('label', { class: 'driver' }, h('span', {}, 'Field'), select),
      toggle('Drive along', joinIn, (value) => this.change({ joinIn: value })),
    ];
  }

  private driverChoice(): HTMLElement {
    const select = h('select', { 'aria-label': 'Driver' });
    const { track, policy, car } = this.settings;
    const drivers = this.catalogue.driversFor(track, car);
    const chosen = this.catalogue.driver(track, policy, car);
    for (const entry of drivers) {
      const problem = this.catalogue.problem(entry);
      const option = h(
        'option',
        { value: entry.key, disabled: problem !== null },
        driverLabel(entry, this.settings.track, problem),
      );
      option.selected = entry === chosen;
      select.append(option);
    }
    this.addByStrength(select);
    if (drivers.length === 0) select.append(h('option', {}, 'none yet'));
    select.addEventListener('change', () => this.change({ policy: select.value }));
    return h('label', { class: 'driver' }, h('span', {}, 'Driver'), select);
  }

  /** The same driver when it was younger, and a rival that follows the player. */
  private addByStrength(select: HTMLSelectElement): void {
    const { track, car, policy } = this.settings;
    const ages = this.catalogue.youngerDrivers(track, car);
    const option = (value: string, label: string) => {
      const made = h('option', { value }, label);
      made.selected = value === policy;
      return made;
    };
    if (this.catalogue.ladder(track, car).length > 1)
      select.append(option(FOLLOWS, 'A rival that follows your level'));
    if (ages.length === 0) return;
    const group = h('optgroup', { label: `By age: ${ages[0]!.name}` });
    group.append(...ages.map(({ key, step }, place) => option(key, ageLabel(step, place, ages.length))));
    select.append(group);
  }
}

/** How old a driver is, in steps of training, and what that is called. */
function ageLabel(step: number, place: number, count: number): string {
  const names = ['newborn', 'child', 'teenager', 'grown-up'];
  return `${names[Math.floor((place / count) * names.length)]} · ${steps(step)} steps old`;
}

function lengthText(track: TrackSummary, car: string): string {
  const length = track.length_u;
  return car === CLASSIC
    ? `${Math.round(length).toLocaleString('en')} u`
    : `${(length / 1000).toFixed(2)} km`;
}

/** A driver of a race; most learned alone and do not see who is beside them. */
function racerLabel(entry: PolicyEntry, track: string): string {
  const sees = isRaceLayout(entry.layout) ? 'sees the others' : 'drives its line';
  return `${driverLabel(entry, track, null)} · ${sees}`;
}

function driverLabel(entry: PolicyEntry, track: string, problem: string | null): string {
  if (problem) return `${entry.name}: ${problem}`;
  const lap = entry.laps[track];
  const pace = lap === undefined ? '' : ` · ${lap.toFixed(3)} s`;
  const strange = !entry.tracks.includes(track) ? ' · never saw this track' : '';
  return `${entry.name} · ${steps(entry.step)} steps${pace}${strange}`;
}
