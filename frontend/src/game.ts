/** The page: which screen shows, which race runs, and one animation frame after the other. */
import { Board, type BoardLap } from './board';
import type { Catalogue } from './catalogue';
import { Clock } from './clock';
import { boardDialog, pauseDialog, settingsDialog } from './dialogs';
import { Grid, IDLE } from './drivers';
import type { Garage } from './garage';
import { Hud } from './hud';
import { type Command, Input } from './input';
import type { Controls } from './kernel';
import { Learning } from './learning';
import { type LineUp, lineUp, lineUpFor, personSeat, policySeat, replaySeat } from './line-up';
import { Menu } from './menu';
import { COLOURS } from './palette';
import type { Picture } from './picture';
import { Race, type RaceCar, type RequestedChanges } from './race';
import { Reactions } from './reactions';
import { resultsScreen } from './results';
import { type Settings, saveSettings } from './settings';
import type { Sound } from './sound';
import type { Stats } from './stats';
import type { TextStore } from './storage';
import { TapePlayer } from './tape';

export interface Parts {
  catalogue: Catalogue;
  garage: Garage;
  settings: Settings;
  store: TextStore;
  sound: Sound;
  stats: Stats;
  surface: HTMLElement;
}

type ScreenName = 'menu' | 'race' | 'results';

const RESULTS_AFTER_MS = 1400;
const RETRY_DELIVERY_MS = 30_000;
const NOTHING: RequestedChanges = { togglePause: false, restart: false, quitToMenu: false };

export class Game {
  private readonly hud: Hud;
  private readonly menu: Menu;
  private readonly input: Input;
  private readonly board: Board;
  private readonly reactions: Reactions;
  private readonly clock = new Clock();
  private readonly requests: RequestedChanges = { ...NOTHING };
  private picture: Picture | null = null;
  private screen: ScreenName = 'menu';
  private line: LineUp | null = null;
  private grid: Grid | null = null;
  private results: HTMLElement | null = null;
  private pauseBox: HTMLDialogElement | null = null;
  private learning: Learning | null = null;
  private script: TapePlayer | null = null;
  /** Counts what the page was asked to show; whatever arrives for an older wish is dropped. */
  private wish = 0;
  private busy = false;
  private lastFrameMs = 0;

  constructor(private readonly parts: Parts) {
    const { settings, catalogue, store, sound, surface } = parts;
    const { fingerprint, site } = catalogue;
    this.board = new Board(store, site.server, fingerprint);
    this.input = new Input(surface);
    this.input.onCommand = (command) => this.command(command);
    this.input.onTouch = () => this.hud.showTouch();
    this.hud = new Hud({
      pause: () => this.command('pause'),
      mute: () => this.command('mute'),
      fullscreen: () => this.command('fullscreen'),
    });
    this.menu = new Menu(settings, catalogue, {
      start: () => void this.start(),
      changed: () => this.settingsChanged(),
      openSettings: () => this.openSettings(),
      openBoard: () => this.openBoard(),
      fullscreen: () => this.command('fullscreen'),
    });
    const { hud, board } = this;
    this.reactions = new Reactions({
      hud,
      sound,
      board,
      store,
      settings,
      fingerprint,
      hasServer: site.server,
    });
    this.reactions.onDelivery = () => this.showDelivery();
    document.body.append(this.hud.root, this.menu.root);
    this.hud.setMuted(settings.muted);
    this.listen();
  }

  /** Bring the menu up; the AI drives behind it as soon as there is a picture. */
  async open(): Promise<void> {
    this.show('menu');
    this.menu.focusStart();
    await this.refreshRecords();
    void this.board.deliver();
  }

  /** Give the game its picture, once the renderer has loaded. */
  setPicture(picture: Picture): void {
    this.picture = this.reactions.picture = picture;
    void this.demonstrate();
    requestAnimationFrame((now) => void this.frame(now));
  }

  /** Let a recorded drive take the player's wheel from the next start on: for tests and for the curious. */
  driveFrom(inputs: string): void {
    this.script = new TapePlayer({ inputs, respawns: [] });
  }

  private listen(): void {
    const wake = () => this.parts.sound.wake();
    window.addEventListener('pointerdown', wake);
    window.addEventListener('keydown', wake);
    window.addEventListener('resize', () => this.hud.minimap.layOut());
    window.addEventListener('online', () => void this.board.deliver());
    setInterval(() => void this.board.deliver(), RETRY_DELIVERY_MS);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.pauseIfDriving();
      this.clock.restart();
    });
  }

  // One frame: as many ticks as are due, then one picture.

  private async frame(nowMs: number): Promise<void> {
    requestAnimationFrame((now) => void this.frame(now));
    if (this.busy) return;
    this.busy = true;
    const began = performance.now();
    try {
      const due = this.clock.due(nowMs);
      const controls = this.screen === 'race' ? this.input.sample() : IDLE;
      for (let tick = 0; tick < due; tick++) await this.tick(controls);
      this.draw(nowMs);
      this.parts.stats.frame(performance.now() - began, due);
    } finally {
      this.busy = false;
    }
  }

  private async tick(controls: Controls): Promise<void> {
    const grid = this.grid;
    if (!grid) return;
    const requests = { ...this.requests };
    Object.assign(this.requests, NOTHING);
    const outcome = await grid.advance(this.personControls(grid.race, controls, requests), requests);
    if (grid !== this.grid) return;
    this.picture?.afterTick(grid.race);
    this.reactToEvents(grid);
    if (outcome === 'reset_no_cd') await this.restart();
    if (outcome === 'quit_to_menu') this.toMenu();
    if (grid.race.controller.phase === 'paused' && !this.pauseBox && grid === this.grid)
      this.openPause(grid.race);
  }

  private reactToEvents({ race, failures }: Grid): void {
    const followed = this.followed(race);
    for (const event of race.events.splice(0)) {
      if (this.screen !== 'race' || !followed) continue;
      this.reactions.react(event, race, followed);
      if (event.type === 'lap') this.learning?.update();
      if (event.type === 'over') this.showResultsSoon(race);
    }
    for (const [car, reason] of failures)
      this.hud.say(`${race.cars[car]?.entrant.name} cannot drive: ${reason}`, 'bad');
  }

  private personControls(race: Race, controls: Controls, requests: RequestedChanges): Controls {
    if (!this.script || !race.human) return controls;
    const drives = race.needsControls(race.human) && !requests.togglePause && !requests.restart;
    return drives && !this.script.ended ? this.script.next() : IDLE;
  }

  private draw(nowMs: number): void {
    const { settings, stats, sound } = this.parts;
    const seconds = Math.min(0.1, Math.max(0, (nowMs - this.lastFrameMs) / 1000));
    this.lastFrameMs = nowMs;
    const race = this.grid?.race;
    if (!race || !this.picture) return;
    const followed = this.followed(race);
    this.picture.aside = this.screen === 'menu' ? this.menu.coveredShare() / 2 : 0;
    this.picture.draw(race, followed, this.clock.share, seconds, settings);
    stats.phase = race.controller.phase;
    stats.cars = race.cars.length;
    const inRace = this.screen === 'race' && followed;
    sound.drive(inRace && race.driving ? followed.now : null);
    if (inRace) this.hud.update(race, followed, this.picture.poses, settings);
  }

  private followed(race: Race): RaceCar | null {
    return race.human ?? race.cars[0] ?? null;
  }

  // Starting and ending races

  /** The AI alone, behind the menu; nobody where it cannot drive, and starting a race says why. */
  private async demonstrate(): Promise<void> {
    const wish = ++this.wish;
    const { settings, catalogue, garage } = this.parts;
    const id = catalogue.track(settings.track).id;
    const entry = catalogue.driver(id, settings.policy);
    try {
      await this.begin(wish, id, lineUp([]), 0, false);
      if (!entry) return;
      const seat = await policySeat(garage, entry, 'AI', COLOURS.ai);
      await this.begin(wish, id, lineUp([seat]), 0, false);
    } catch {
      return;
    }
  }

  private async start(): Promise<void> {
    const { settings, catalogue, garage } = this.parts;
    if (settings.mode === 'learn') return this.watchLearning();
    await this.attempt(async (wish) => {
      const line = await lineUpFor(settings, catalogue, garage);
      if (line.entrants.length === 0) throw new Error(line.problems[0] ?? 'Nobody is there to drive.');
      await this.begin(wish, settings.track, line, settings.laps, settings.mode !== 'spectate');
      if (line.problems[0]) this.hud.say(line.problems[0], 'bad');
    });
  }

  /** Race or watch a lap of the board. */
  private async startGhost(lap: BoardLap, along: boolean): Promise<void> {
    await this.attempt(async (wish) => {
      const ghost = replaySeat(lap.name, await this.board.drive(lap));
      const seats = along ? [personSeat(this.parts.settings.name), ghost] : [ghost];
      await this.begin(wish, lap.track, lineUp(seats), lap.lap, along);
    });
  }

  private async watchLearning(): Promise<void> {
    const { garage, catalogue, settings } = this.parts;
    await this.attempt(async (wish) => {
      await this.begin(wish, settings.track, lineUp([]), 0, false);
      this.learning = new Learning(
        garage,
        {
          grid: () => this.grid,
          say: (text) => this.hud.say(text),
          begin: async (entry, line) => {
            const known = catalogue.tracks.find((track) => entry.tracks.includes(track.id));
            await this.begin(wish, known?.id ?? settings.track, line, 0, false);
          },
        },
        catalogue.site.start.run,
      );
    });
  }

  /** Leave the menu for a race; when it cannot begin, come back and say why. */
  private async attempt(begin: (wish: number) => Promise<void>): Promise<void> {
    const wish = ++this.wish;
    this.grid = null;
    this.show('race');
    try {
      await begin(wish);
    } catch (error) {
      if (wish !== this.wish) return;
      this.toMenu();
      this.menu.complain(error instanceof Error ? error.message : String(error));
    }
  }

  /** Put a race on the track unless the player has asked for something else meanwhile. */
  private async begin(
    wish: number,
    trackId: string,
    line: LineUp,
    laps: number,
    counts: boolean,
  ): Promise<void> {
    const { garage } = this.parts;
    const track = await garage.track(trackId);
    const fleet = await garage.kernel.fleet(track, Math.max(1, line.entrants.length));
    if (wish !== this.wish) return;
    this.line = line;
    this.put(new Race(fleet, line.entrants, laps, counts), line);
  }

  private async restart(): Promise<void> {
    const { grid, line } = this;
    if (!grid || !line) return;
    this.closePause();
    const { race } = grid;
    const wish = ++this.wish;
    const fleet = await this.parts.garage.kernel.fleet(race.fleet.track, Math.max(1, race.cars.length));
    if (wish !== this.wish) return;
    this.show('race');
    this.put(new Race(fleet, line.entrants, race.targetLaps, false), line);
  }

  private put(race: Race, line: LineUp): void {
    this.grid = new Grid(race, line.drivers());
    if (this.script) this.script.tick = 0;
    this.reactions.begin(race);
    this.picture?.begin(race);
    if (race.cars.length > 0) this.hud.begin(race);
    this.clock.restart();
  }

  private showResultsSoon(race: Race): void {
    const { wish } = this;
    const wait = race.targetLaps > 0 ? RESULTS_AFTER_MS : 0;
    setTimeout(() => wish === this.wish && this.screen === 'race' && this.showResults(race), wait);
  }

  private showResults(race: Race): void {
    this.closePause();
    this.results = resultsScreen(race, {
      again: () => void this.restart(),
      menu: () => this.toMenu(),
      board: () => this.openBoard(),
    });
    document.body.append(this.results);
    this.showDelivery();
    this.show('results');
    this.results.querySelector<HTMLElement>('.primary')?.focus();
  }

  private showDelivery(): void {
    const place = this.results?.querySelector('.delivery');
    if (place) place.textContent = this.reactions.delivery;
  }

  private toMenu(): void {
    this.closePause();
    this.learning?.close();
    this.learning = null;
    this.grid = null;
    this.show('menu');
    this.menu.render();
    this.menu.focusStart();
    void this.refreshRecords();
    void this.demonstrate();
  }

  private show(screen: ScreenName): void {
    this.screen = this.parts.stats.screen = screen;
    document.body.dataset.screen = screen;
    this.menu.root.hidden = screen !== 'menu';
    this.hud.root.hidden = screen !== 'race';
    if (screen === 'race') this.hud.minimap.layOut();
    if (screen !== 'results') {
      this.results?.remove();
      this.results = null;
    }
    this.input.active = screen === 'race';
    this.input.letGo();
    if (screen === 'race' && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }

  private async refreshRecords(): Promise<void> {
    const best = await this.board.best(this.parts.catalogue.tracks.map((track) => track.id));
    this.menu.setRecords(best, this.reactions.threeLaps());
  }

  // Commands and dialogs

  private command(command: Command): void {
    const restarts = command === 'restart';
    if (command === 'mute') this.toggleMuted();
    else if (command === 'fullscreen') toggleFullscreen();
    else if (document.querySelector('dialog[open]') && !restarts) return;
    else if (this.screen === 'results') this.requests[restarts ? 'restart' : 'quitToMenu'] = true;
    else if (this.screen === 'race' && this.grid) this.requests[restarts ? 'restart' : 'togglePause'] = true;
    else if (this.screen === 'race' && !restarts) this.toMenu();
  }

  private pauseIfDriving(): void {
    const race = this.grid?.race;
    if (this.screen === 'race' && race?.human && !race.finished && race.controller.phase !== 'paused')
      this.requests.togglePause = true;
  }

  private openPause(race: Race): void {
    const free = race.targetLaps === 0 && race.cars.some((car) => car.laps.length > 0);
    this.input.letGo();
    this.pauseBox = pauseDialog({
      resume: () => this.resume(race),
      restart: () => {
        this.requests.restart = true;
      },
      finish: free ? () => race.end() : null,
      settings: () => this.openSettings(),
      quit: () => {
        this.requests.quitToMenu = true;
      },
    });
  }

  private resume(race: Race): void {
    if (!this.pauseBox) return;
    this.closePause();
    if (this.grid?.race === race && race.controller.phase === 'paused') this.requests.togglePause = true;
  }

  private closePause(): void {
    const box = this.pauseBox;
    this.pauseBox = null;
    box?.close();
  }

  private openSettings(): void {
    settingsDialog(
      this.parts.settings,
      () => this.settingsChanged(),
      () => this.menu.render(),
    );
  }

  private openBoard(): void {
    boardDialog(this.parts.catalogue, this.parts.settings.track, {
      load: (track) => this.board.top(track),
      race: (lap) => void this.startGhost(lap, true),
      watch: (lap) => void this.startGhost(lap, false),
    });
  }

  private settingsChanged(): void {
    const { settings, store, sound } = this.parts;
    saveSettings(store, settings);
    sound.setVolume(settings.volume, settings.muted);
    this.hud.setMuted(settings.muted);
    const shown = this.grid?.race.fleet.track.file.id;
    if (this.screen === 'menu' && shown !== settings.track) void this.demonstrate();
  }

  private toggleMuted(): void {
    const { settings } = this.parts;
    settings.muted = !settings.muted;
    this.settingsChanged();
    this.hud.say(settings.muted ? 'Sound off' : 'Sound on');
  }
}

function toggleFullscreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.().catch(() => {});
}
