/** The page: what the player asks for, and one animation frame after the other. */

import { Clock } from '../physics/clock';
import { Board, eventKey } from '../race/board';
import type { Grid } from '../race/drivers';
import { levelAfter } from '../race/levels';
import type { Race } from '../race/race';
import { fetchPolicies } from '../site/data';
import { saveSettings } from '../site/settings';
import type { Stats } from '../site/stats';
import type { TextStore } from '../site/storage';
import { Hud } from '../ui/hud';
import { HANDS_OFF, type Hands, Input } from '../ui/input';
import { Menu } from '../ui/menu';
import { PadNavigation } from '../ui/pad-navigation';
import { Progress } from '../ui/progress';
import { resultsScreen } from '../ui/results';
import type { Sound } from '../ui/sound';
import type { Picture } from '../view/picture';
import { Commands } from './commands';
import { RaceStarter } from './race-starter';
import { Reactions } from './reactions';
import { ReplayRoom } from './replay-room';
import { Requests } from './requests';
import { Screens } from './screens';
import { linkToRace, pageAddress } from './sharing';
import { Stage } from './stage';
import type { Supplies } from './starts';

export interface Parts extends Supplies {
  store: TextStore;
  sound: Sound;
  stats: Stats;
  surface: HTMLElement;
}

const RESULTS_AFTER_MS = 1400;
const RETRY_DELIVERY_MS = 30_000;
/** Who has driven this long knows the controls. */
const KNOWS_AFTER_TICKS = 240;

export class Game {
  private readonly hud: Hud;
  private readonly menu: Menu;
  private readonly input: Input;
  private readonly padNavigation = new PadNavigation();
  private readonly progress = new Progress();
  private readonly board: Board;
  private readonly reactions: Reactions;
  private readonly clock = new Clock();
  private readonly requests = new Requests();
  private readonly replays = new ReplayRoom();
  private readonly stage: Stage;
  private readonly screens: Screens;
  private readonly starter: RaceStarter;
  private readonly commands: Commands;
  private picture: Picture | null = null;
  private busy = false;
  private lastFrameMs = 0;

  constructor(private readonly parts: Parts) {
    const { settings, catalogue, garage, store, sound, stats, surface } = parts;
    const { site } = catalogue;
    this.board = new Board(store, site.server, (car) => garage.kernel.fingerprint(car));
    this.input = new Input(surface);
    this.input.onCommand = (command) => this.commands.do(command);
    this.input.onTouch = () => this.hud.showTouch();
    this.hud = new Hud({
      pause: () => this.commands.do('pause'),
      mute: () => this.commands.do('mute'),
      fullscreen: () => this.commands.do('fullscreen'),
    });
    this.menu = new Menu(settings, catalogue, {
      start: () => void this.starter.start(),
      changed: () => this.commands.settingsChanged(),
      openSettings: () => this.commands.openSettings(),
      openBoard: () => this.commands.openBoard(),
      fullscreen: () => this.commands.do('fullscreen'),
      refresh: () => void this.refreshDrivers(),
    });
    const { hud, board } = this;
    this.screens = new Screens(this.menu, hud, this.input, stats);
    this.stage = new Stage(garage);
    this.stage.onBegin = (race) => this.prepare(race);
    this.reactions = new Reactions({
      hud,
      sound,
      board,
      store,
      settings,
      kernel: garage.kernel,
    });
    const places = { stage: this.stage, screens: this.screens, menu: this.menu, hud, board };
    this.starter = new RaceStarter(parts, { ...places, progress: this.progress });
    this.starter.onFailure = () => this.toMenu();
    this.commands = new Commands(
      parts,
      { ...places, requests: this.requests, replays: this.replays, sound, store },
      {
        toMenu: () => this.toMenu(),
        demonstrate: () => void this.starter.demonstrate(),
        ghost: (lap, along) => void this.starter.ghost(lap, along),
      },
    );
    this.replays.onClose = (race) => this.afterReplay(race);
    this.reactions.onDelivery = () => this.screens.showDelivery(this.reactions.delivery);
    document.body.append(this.hud.root, this.progress.root, this.menu.root);
    this.hud.setMuted(settings.muted);
    this.padNavigation.onBack = () => this.commands.do('pause');
    this.listen();
  }

  /** Bring the menu up; the AI drives behind it as soon as there is a picture. */
  async open(): Promise<void> {
    this.screens.show('menu');
    this.menu.focusStart();
    void this.board.deliver();
    await Promise.all([this.refreshRecords(), this.starter.followAddress()]);
  }

  /** Give the game its picture, once the renderer has loaded. */
  setPicture(picture: Picture): void {
    this.picture = this.reactions.picture = picture;
    if (this.stage.race) picture.begin(this.stage.race);
    else if (this.screens.name === 'menu') void this.starter.demonstrate();
    requestAnimationFrame((now) => void this.frame(now));
  }

  /** Let a recorded drive take the player's wheel from the next start on: for tests and for the curious. */
  driveFrom(inputs: string): void {
    this.stage.driveFrom(inputs);
  }

  private listen(): void {
    const wake = () => this.parts.sound.wake();
    window.addEventListener('pointerdown', wake);
    window.addEventListener('keydown', wake);
    window.addEventListener('resize', () => this.hud.minimap.layOut());
    window.addEventListener('online', () => void this.board.deliver());
    setInterval(() => void this.board.deliver(), RETRY_DELIVERY_MS);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.commands.pauseIfDriving();
      this.clock.restart();
    });
  }

  // One frame: as many ticks as are due, then one picture.

  private async frame(nowMs: number): Promise<void> {
    requestAnimationFrame((now) => void this.frame(now));
    if (this.busy) return;
    this.busy = true;
    const began = performance.now();
    this.padNavigation.poll(this.screens.name !== 'race' || this.screens.paused, nowMs);
    try {
      const due = this.clock.due(nowMs);
      const hands = this.screens.name === 'race' ? this.input.sample() : HANDS_OFF;
      for (let tick = 0; tick < due; tick++) await this.tick(hands);
      this.draw(nowMs);
      this.parts.stats.frame(performance.now() - began, due);
    } finally {
      this.busy = false;
    }
  }

  private async tick(hands: Hands): Promise<void> {
    const { grid } = this.stage;
    if (!grid) return;
    const outcome = await this.stage.tick(hands, this.parts.settings, this.requests.take());
    if (grid !== this.stage.grid) return;
    if (!this.replays.isOpen) this.picture?.afterTick(grid.race);
    if (this.screens.name === 'race') this.replays.afterTick(grid.race);
    this.reactToEvents(grid);
    if (outcome === 'reset_no_cd') await this.restart();
    if (outcome === 'quit_to_menu') this.toMenu();
    const paused = grid.race.controller.phase === 'paused';
    if (paused && !this.screens.paused && grid === this.stage.grid) this.commands.openPause(grid.race);
  }

  private reactToEvents({ race, failures }: Grid): void {
    const { followed } = this.stage;
    for (const event of race.events.splice(0)) {
      if (this.screens.name !== 'race' || !followed) continue;
      this.reactions.react(event, race, followed);
      this.replays.note(event, race);
      if (event.type === 'lap') this.starter.learning?.update();
      if (event.type === 'over') this.noteOutcome(race);
      if (event.type === 'over') this.showResultsSoon(race);
    }
    for (const [car, reason] of failures)
      this.hud.notify(`${race.cars[car]?.entrant.name} stopped driving: ${reason} Its car rolls to a halt.`);
  }

  private draw(nowMs: number): void {
    const { settings, stats, sound } = this.parts;
    const seconds = Math.min(0.1, Math.max(0, (nowMs - this.lastFrameMs) / 1000));
    this.lastFrameMs = nowMs;
    const { race, followed } = this.stage;
    if (!race || !this.picture) return;
    if (this.replays.isOpen) {
      this.replays.draw(this.picture, seconds, settings);
      sound.drive(this.replays.heard, race.fleet.car.topSpeed);
      return;
    }
    this.picture.aside = this.screens.name === 'menu' ? this.menu.coveredShare() / 2 : 0;
    this.picture.expected = this.stage.expected;
    this.picture.draw(race, followed, this.clock.share, seconds, settings);
    stats.phase = race.controller.phase;
    stats.cars = race.cars.length;
    const inRace = this.screens.name === 'race' && followed;
    sound.drive(inRace && race.driving ? followed.now : null, race.fleet.car.topSpeed);
    if (inRace) this.hud.update(race, followed, this.picture, settings);
    if (inRace) this.hud.showExpected(this.stage.expected, race.fleet.car);
    if (!settings.hasDriven && (race.human?.drivenTicks ?? 0) > KNOWS_AFTER_TICKS) this.noteDriven();
  }

  /** Rivals that follow the player grow with them. */
  private noteOutcome(race: Race): void {
    const { settings, store, catalogue } = this.parts;
    settings.level = levelAfter(race, settings, catalogue.list.levels.length);
    saveSettings(store, settings);
  }

  private noteDriven(): void {
    this.parts.settings.hasDriven = true;
    saveSettings(this.parts.store, this.parts.settings);
  }

  // Restarting and ending races

  private async restart(): Promise<void> {
    this.screens.closePause();
    if (await this.stage.restart()) this.screens.show('race');
  }

  /** Everything that shows a race is told of a new one. */
  private prepare(race: Race): void {
    this.progress.hide();
    this.reactions.begin(race);
    this.replays.begin(race);
    this.picture?.begin(race);
    if (race.cars.length > 0) this.hud.begin(race);
    this.clock.restart();
  }

  private showResultsSoon(race: Race): void {
    const wait = race.targetLaps > 0 ? RESULTS_AFTER_MS : 0;
    const shows = () => this.stage.race === race && this.screens.name === 'race';
    setTimeout(() => shows() && this.showResults(race), wait);
  }

  private showResults(race: Race): void {
    const actions = {
      share: () => linkToRace(this.parts, this.stage.plan!, this.reactions.challenge),
      again: () => void this.restart(),
      menu: () => this.toMenu(),
      board: () => this.commands.openBoard(),
      replay: () => this.openReplay(race),
    };
    this.screens.showResults(resultsScreen(race, actions));
    this.screens.showDelivery(this.reactions.delivery);
  }

  /** The race once more; the results come back afterwards. */
  private openReplay(race: Race): void {
    if (!this.picture) return;
    this.screens.show('replay');
    this.replays.open(race, this.picture);
  }

  private afterReplay(race: Race): void {
    this.picture?.begin(race);
    this.showResults(race);
  }

  private toMenu(): void {
    this.progress.hide();
    this.screens.closePause();
    this.starter.closeLearning();
    this.stage.grid = null;
    history.replaceState(null, '', pageAddress());
    this.screens.show('menu');
    this.menu.render();
    this.menu.focusStart();
    void this.refreshRecords();
    void this.refreshDrivers();
    void this.starter.demonstrate();
  }

  /** Trainings begin and bring drivers while the page is open. */
  private async refreshDrivers(): Promise<void> {
    const { catalogue } = this.parts;
    catalogue.list = await fetchPolicies(['racer', 'race'], catalogue.list);
    if (this.screens.name === 'menu') this.menu.renderRuns();
  }

  private async refreshRecords(): Promise<void> {
    const events = this.parts.catalogue.tracks.flatMap(({ id, cars }) =>
      cars.map((car) => eventKey(id, car)),
    );
    const best = await this.board.best(events);
    this.menu.setRecords(best, this.reactions.flyingLaps());
  }
}
