/** The first screen: how to race, where, how long, against whom. */

import { CLASSIC } from '../physics/cars';
import { TICKS_PER_SECOND } from '../physics/numbers';
import { type BoardLap, eventKey } from '../race/board';
import type { Catalogue } from '../race/catalogue';
import { medalOf, nextMedal } from '../race/medals';
import type { TrackSummary } from '../site/data';
import { FOLLOWS, LAP_CHOICES, type Mode, type Settings } from '../site/settings';
import { thumbnail } from './charts';
import { choiceRow, h, setClass, setText, toggle } from './dom';
import { lapTime } from './format';
import { driverChoices, gridChoices, runChoice } from './opponents';

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
    if (alone) return `${alone} You race the clock and the ghost of the reference lap.`;
    const follows = this.settings.strength === FOLLOWS && (mode === 'versus' || mode === 'race');
    return follows ? `They race at ${this.rivalLevel()} now. Win, and they get stronger.` : '';
  }

  private rivalLevel(): string {
    const { level } = this.settings;
    return this.catalogue.level(level) ? `level ${level}` : 'full strength';
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
    const { mode, laps } = this.settings;
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
    this.choices.append(...this.opponentChoices());
  }

  /** Whom to race or to watch. */
  private opponentChoices(): HTMLElement[] {
    const { settings, catalogue } = this;
    const { mode, track, car, joinIn } = settings;
    const chooser = { settings, catalogue, change: (part: Partial<Settings>) => this.changeOpponents(part) };
    if (mode === 'versus' || mode === 'spectate') return driverChoices(chooser);
    if (mode === 'race') return gridChoices(chooser);
    if (mode === 'learn') return [runChoice(chooser, catalogue.runs, 'The one in training')];
    if (mode !== 'younger') return [];
    return [
      runChoice(chooser, catalogue.runsWithAges(track, car), 'That of the driver'),
      toggle('Drive along', joinIn, (value) => this.change({ joinIn: value })),
    ];
  }

  private changeOpponents(part: Partial<Settings>): void {
    this.change(part);
    this.renderNote();
  }
}

function lengthText(track: TrackSummary, car: string): string {
  const length = track.length_u;
  return car === CLASSIC
    ? `${Math.round(length).toLocaleString('en')} u`
    : `${(length / 1000).toFixed(2)} km`;
}
