/** The page: which screen shows, which race runs, and one animation frame after the other. */
import { Board, type BoardLap } from './board';
import type { Catalogue } from './catalogue';
import { Clock } from './clock';
import type { PolicyEntry } from './data';
import { boardDialog, pauseDialog, settingsDialog } from './dialogs';
import { Grid, IDLE } from './drivers';
import { lapTime, steps } from './format';
import type { Garage } from './garage';
import { Hud } from './hud';
import { type Command, Input } from './input';
import type { Controls } from './kernel';
import { bestLap, type Lap } from './laps';
import { LearnPanel } from './learn-panel';
import { type LineUp, lineUp, lineUpFor, personSeat, policySeat, replaySeat } from './line-up';
import { Live, liveAddress } from './live';
import { MEDAL_LAPS } from './medals';
import { Menu } from './menu';
import { COLOURS } from './palette';
import type { Picture } from './picture';
import { Race, type RaceCar, type RaceEvent, type RequestedChanges } from './race';
import { offenceText, resultsScreen } from './results';
import { type Settings, saveSettings } from './settings';
import type { Sound } from './sound';
import type { Stats } from './stats';
import { isRecord, read, type TextStore, write } from './storage';
import { type Drive, TapePlayer } from './tape';
import { findTurns, type Turn } from './turns';

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

export class Game {
  private readonly hud: Hud;
  private readonly menu: Menu;
  private readonly input: Input;
  private readonly board: Board;
  private readonly clock = new Clock();
  private readonly requests: RequestedChanges = { togglePause: false, restart: false, quitToMenu: false };
  private picture: Picture | null = null;
  private screen: ScreenName = 'menu';
  private line: LineUp | null = null;
  private grid: Grid | null = null;
  private turns: Turn[] = [];
  private results: HTMLElement | null = null;
  private delivery = '';
  private pauseBox: HTMLDialogElement | null = null;
  private learn: { panel: LearnPanel; live: Live; step: number; lapsBefore: number } | null = null;
  private script: TapePlayer | null = null;
  /** Counts what the page was asked to show; whatever arrives for an older wish is dropped. */
  private wish = 0;
  private busy = false;
  private lastFrameMs = 0;

  constructor(private readonly parts: Parts) {
    const { settings, catalogue, store, surface } = parts;
    this.board = new Board(store, catalogue.site.server, catalogue.fingerprint);
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
    document.body.append(this.hud.root, this.menu.root);
    this.hud.setMuted(settings.muted);
    this.listen();
  }

  /** Bring the menu up, with the AI driving behind it. */
  async open(): Promise<void> {
    this.show('menu');
    this.menu.focusStart();
    await this.refreshRecords();
    void this.board.deliver();
  }

  /** Give the game its picture, as soon as the renderer has loaded. */
  setPicture(picture: Picture): void {
    this.picture = picture;
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

  // The frame

  private async frame(nowMs: number): Promise<void> {
    requestAnimationFrame((now) => void this.frame(now));
    if (this.busy) return;
    this.busy = true;
    const began = performance.now();
    try {
      const ticks = await this.advance(nowMs);
      this.draw(nowMs);
      this.parts.stats.frame(performance.now() - began, ticks);
    } finally {
      this.busy = false;
    }
  }

  private async advance(nowMs: number): Promise<number> {
    const due = this.clock.due(nowMs);
    const controls = this.screen === 'race' ? this.input.sample() : IDLE;
    for (let tick = 0; tick < due; tick++) await this.tick(controls);
    return due;
  }

  private async tick(controls: Controls): Promise<void> {
    const grid = this.grid;
    if (!grid) return;
    const requests = { ...this.requests };
    Object.assign(this.requests, { togglePause: false, restart: false, quitToMenu: false });
    const outcome = await grid.advance(this.personControls(grid.race, controls, requests), requests);
    if (grid !== this.grid) return;
    this.picture?.afterTick(grid.race);
    for (const event of grid.race.events.splice(0)) this.react(event, grid.race);
    this.tellFailures(grid);
    if (outcome === 'reset_no_cd') await this.restart();
    if (outcome === 'quit_to_menu') this.toMenu();
    if (grid.race.controller.phase === 'paused' && !this.pauseBox) this.openPause(grid.race);
  }

  private personControls(race: Race, controls: Controls, requests: RequestedChanges): Controls {
    if (!this.script || !race.human) return controls;
    const drives = race.needsControls(race.human) && !requests.togglePause && !requests.restart;
    return drives && !this.script.ended ? this.script.next() : IDLE;
  }

  private draw(nowMs: number): void {
    const seconds = Math.min(0.1, Math.max(0, (nowMs - this.lastFrameMs) / 1000));
    this.lastFrameMs = nowMs;
    const race = this.grid?.race;
    if (!race || !this.picture) return;
    const followed = this.followed(race);
    this.picture.aside = this.screen === 'menu' ? this.menu.coveredShare() / 2 : 0;
    this.picture.draw(race, followed, this.clock.share, seconds, this.parts.settings);
    this.parts.stats.phase = race.controller.phase;
    this.parts.stats.cars = race.cars.length;
    const sounding = this.screen === 'race' && race.driving && followed;
    this.parts.sound.drive(sounding ? followed.now : null);
    if (this.screen === 'race' && followed)
      this.hud.update(race, followed, this.picture.poses, this.parts.settings);
  }

  private followed(race: Race): RaceCar | null {
    return race.human ?? race.cars[0] ?? null;
  }

  // What happens in a race

  private react(event: RaceEvent, race: Race): void {
    if (this.screen !== 'race') return;
    const { sound } = this.parts;
    const followed = this.followed(race);
    const isFollowed = 'car' in event && event.car === followed?.number;
    if (event.type === 'beat') sound.beat(event.beat === 0);
    if (event.type === 'hit') this.hit(event.car, event.speed, isFollowed);
    if (event.type === 'gate' && isFollowed)
      this.picture?.flash(event.gate, this.gateColour(race, followed!));
    if (event.type === 'lap' && isFollowed) this.lapDone(race, followed!, event.lap, event.best);
    if (event.type === 'over') this.over(race);
  }

  private hit(car: number, speed: number, followed: boolean): void {
    const pose = this.picture?.poses[car];
    if (pose && speed > 8) this.picture!.effects.sparks(pose.x, pose.y, speed);
    if (followed) this.parts.sound.impact(speed);
  }

  private gateColour(race: Race, car: RaceCar): number {
    const rival = race.standings().find((other) => other !== car);
    const behind = rival ? race.gap(car, rival) : null;
    if (behind === null) return COLOURS.edge;
    return behind <= 0 ? COLOURS.good : COLOURS.bad;
  }

  private lapDone(race: Race, car: RaceCar, lap: Lap, best: boolean): void {
    this.parts.sound.lap(best);
    if (lap.clean)
      this.hud.say(`Lap ${lap.number}  ${lapTime(lap.ticks)}${best ? '  best' : ''}`, best ? 'best' : 'good');
    else
      this.hud.say(
        `Lap ${lap.number} does not count: ${offenceText(lap.offence, this.turns, race.fleet.track.file.length_u)}`,
        'bad',
      );
    if (this.learn) this.showLearner(car);
    if (car === race.human && best) void this.submit(race, car, lap);
  }

  private async submit(race: Race, car: RaceCar, lap: Lap): Promise<void> {
    const drive = car.tape.drive();
    if (!drive) return;
    const delivery = await this.board.add({
      track: race.fleet.track.file.id,
      name: this.parts.settings.name,
      ticks: lap.ticks,
      lap: lap.number,
      fingerprint: this.parts.catalogue.fingerprint,
      drive,
    });
    const words = {
      sent: `${lapTime(lap.ticks)} is on the board.`,
      kept: this.parts.catalogue.site.server
        ? `${lapTime(lap.ticks)} is kept here and goes to the board when the server is back.`
        : `${lapTime(lap.ticks)} is on this browser’s board.`,
      refused: `The board did not take ${lapTime(lap.ticks)}: ${this.board.refusal}`,
    };
    this.delivery = words[delivery];
    this.showDelivery();
  }

  private showDelivery(): void {
    const place = this.results?.querySelector('.delivery');
    if (place) place.textContent = this.delivery;
  }

  private over(race: Race): void {
    const won = race.standings()[0] === race.human;
    if (race.human && race.targetLaps > 0) {
      if (won) this.parts.sound.victory();
      else this.parts.sound.defeat();
      this.keepMedal(race, race.human);
    }
    const wish = this.wish;
    setTimeout(
      () => wish === this.wish && this.showResults(race),
      race.targetLaps > 0 ? RESULTS_AFTER_MS : 0,
    );
  }

  private keepMedal(race: Race, human: RaceCar): void {
    if (race.targetLaps !== MEDAL_LAPS || human.finishTick === null) return;
    const best = this.threeLaps();
    const id = race.fleet.track.file.id;
    best[id] = Math.min(best[id] ?? Number.MAX_SAFE_INTEGER, human.finishTick);
    write(this.parts.store, 'three-laps', best);
  }

  private threeLaps(): Record<string, number> {
    const check = (value: unknown) =>
      isRecord(value) && Object.values(value).every((ticks) => typeof ticks === 'number')
        ? (value as Record<string, number>)
        : null;
    return read(this.parts.store, 'three-laps', check, {});
  }

  private tellFailures(grid: Grid): void {
    for (const [car, reason] of grid.failures) {
      this.hud.say(`${grid.race.cars[car]!.entrant.name} stopped deciding: ${reason}`, 'bad');
      grid.failures.set(car, '');
    }
    for (const [car, reason] of grid.failures) if (reason === '') grid.drivers[car] = null;
    if (grid.failures.size > 0) grid.failures.clear();
  }

  // Starting and ending races

  /** The AI alone, behind the menu. */
  private async demonstrate(): Promise<void> {
    const wish = ++this.wish;
    const { settings, catalogue, garage } = this.parts;
    const id = catalogue.track(settings.track).id;
    await this.begin(wish, id, lineUp([]), 0, false);
    const entry = catalogue.driver(id, settings.policy);
    if (!entry) return;
    try {
      const seat = await policySeat(garage, entry, 'AI', COLOURS.ai);
      await this.begin(wish, id, lineUp([seat]), 0, false);
    } catch {
      // Nobody drives behind the menu; starting a race says why.
    }
  }

  private async start(): Promise<void> {
    const { settings, catalogue, garage } = this.parts;
    if (settings.mode === 'learn') return this.watchLearning();
    const wish = ++this.wish;
    this.show('race');
    const line = await lineUpFor(settings, catalogue, garage);
    const counts = settings.mode !== 'spectate';
    const began = await this.begin(wish, settings.track, line, settings.laps, counts);
    if (began && line.problems.length > 0) this.hud.say(line.problems[0]!, 'bad');
    if (began && line.entrants.length === 0) this.toMenu();
  }

  /** Race or watch a lap of the board. */
  private async startGhost(lap: BoardLap, along: boolean): Promise<void> {
    const wish = ++this.wish;
    let drive: Drive;
    try {
      drive = await this.board.drive(lap);
    } catch (error) {
      this.hud.say(String(error), 'bad');
      return;
    }
    this.show('race');
    const ghost = replaySeat(lap.name, drive);
    const seats = along ? [personSeat(this.parts.settings.name), ghost] : [ghost];
    await this.begin(wish, lap.track, lineUp(seats), lap.lap, along);
  }

  /** Put a race on the track unless the player has asked for something else meanwhile. */
  private async begin(
    wish: number,
    trackId: string,
    line: LineUp,
    laps: number,
    counts: boolean,
  ): Promise<boolean> {
    const { garage } = this.parts;
    const track = await garage.track(trackId);
    const fleet = await garage.kernel.fleet(track, Math.max(1, line.entrants.length));
    if (wish !== this.wish) return false;
    this.line = line;
    this.turns = findTurns(track.file);
    this.put(new Race(fleet, line.entrants, laps, counts), line);
    return true;
  }

  private async restart(): Promise<void> {
    const { grid, line } = this;
    if (!grid || !line) return;
    this.closePause();
    const { race } = grid;
    const fleet = await this.parts.garage.kernel.fleet(race.fleet.track, race.cars.length);
    ++this.wish;
    this.show('race');
    this.put(new Race(fleet, line.entrants, race.targetLaps, false), line);
  }

  private put(race: Race, line: LineUp): void {
    this.grid = new Grid(race, line.drivers());
    this.delivery = '';
    if (this.script) this.script.tick = 0;
    this.picture?.begin(race);
    if (race.cars.length > 0) this.hud.begin(race);
    this.clock.restart();
  }

  private showResults(race: Race): void {
    this.results?.remove();
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

  private toMenu(): void {
    this.closePause();
    this.learn?.live.close();
    this.learn?.panel.root.remove();
    this.learn = null;
    this.grid = null;
    this.show('menu');
    this.menu.focusStart();
    void this.refreshRecords();
    void this.demonstrate();
  }

  private show(screen: ScreenName): void {
    this.screen = screen;
    this.parts.stats.screen = screen;
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
    this.menu.setRecords(best, this.threeLaps());
  }

  // Watching a training

  private async watchLearning(): Promise<void> {
    const wish = ++this.wish;
    const panel = new LearnPanel();
    this.show('race');
    document.body.append(panel.root);
    await this.begin(wish, this.parts.settings.track, lineUp([]), 0, false);
    const address = liveAddress(document.baseURI, this.parts.catalogue.site.start.run);
    const live = new Live(address, {
      run: (run) => panel.setRun(run),
      curve: (points) => panel.setCurve(points),
      status: (text) => panel.setStatus(text),
      policy: (policy) => void this.swapIn(policy),
    });
    this.learn = { panel, live, step: 0, lapsBefore: 0 };
  }

  /** Hand the wheel to a newer self, on the move if somebody is driving already. */
  private async swapIn(entry: PolicyEntry): Promise<void> {
    const { garage, catalogue, settings } = this.parts;
    const learn = this.learn;
    if (!learn) return;
    try {
      const seat = await policySeat(garage, entry, steps(entry.step), COLOURS.ai);
      if (learn !== this.learn) return;
      const car = this.grid?.race.cars[0];
      if (this.grid && car && car.entrant.layout === entry.layout) {
        this.grid.drivers[0] = seat.driver();
        learn.lapsBefore = car.laps.length;
      } else {
        const known = catalogue.tracks.find((track) => entry.tracks.includes(track.id));
        await this.begin(this.wish, known?.id ?? settings.track, lineUp([seat]), 0, false);
      }
      learn.step = entry.step;
      this.hud.say(`At the wheel: ${steps(entry.step)} steps`, 'plain');
      const driving = this.grid?.race.cars[0];
      if (driving) this.showLearner(driving);
    } catch (error) {
      learn.panel.setStatus(error instanceof Error ? error.message : String(error));
    }
  }

  private showLearner(car: RaceCar): void {
    const since = car.laps.slice(this.learn!.lapsBefore);
    this.learn!.panel.setDriver(this.learn!.step, bestLap(since, false)?.ticks ?? null);
  }

  // Commands and dialogs

  private command(command: Command): void {
    if (command === 'mute') this.setMuted(!this.parts.settings.muted);
    else if (command === 'fullscreen') toggleFullscreen();
    else if (document.querySelector('dialog[open]') && command === 'pause') return;
    else if (this.screen === 'results')
      this.requests[command === 'restart' ? 'restart' : 'quitToMenu'] = true;
    else if (this.screen === 'race') this.requests[command === 'restart' ? 'restart' : 'togglePause'] = true;
  }

  private pauseIfDriving(): void {
    if (this.screen === 'race' && this.grid?.race.human && this.grid.race.controller.phase !== 'paused')
      this.requests.togglePause = true;
  }

  private openPause(race: Race): void {
    const resume = () => {
      const box = this.pauseBox;
      this.pauseBox = null;
      box?.close();
      if (this.grid?.race === race && race.controller.phase === 'paused') this.requests.togglePause = true;
    };
    const free = race.targetLaps === 0 && race.cars.some((car) => car.laps.length > 0);
    this.input.letGo();
    this.pauseBox = pauseDialog({
      resume,
      restart: () => {
        this.requests.restart = true;
      },
      finish: free
        ? () => {
            this.closePause();
            race.end();
          }
        : null,
      settings: () => this.openSettings(),
      quit: () => {
        this.requests.quitToMenu = true;
      },
    });
  }

  private closePause(): void {
    const box = this.pauseBox;
    this.pauseBox = null;
    box?.close();
    this.requests.togglePause = false;
  }

  private openSettings(): void {
    settingsDialog(
      this.parts.settings,
      () => this.settingsChanged(false),
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

  private settingsChanged(fromMenu = true): void {
    const { settings, store, sound } = this.parts;
    saveSettings(store, settings);
    sound.setVolume(settings.volume, settings.muted);
    this.hud.setMuted(settings.muted);
    const shown = this.grid?.race.fleet.track.file.id;
    if (fromMenu && this.screen === 'menu' && shown !== settings.track) void this.demonstrate();
  }

  private setMuted(muted: boolean): void {
    this.parts.settings.muted = muted;
    this.settingsChanged(false);
    this.hud.say(muted ? 'Sound off' : 'Sound on');
  }
}

function toggleFullscreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.().catch(() => {});
}
