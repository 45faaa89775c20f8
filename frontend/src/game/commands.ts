/** What keys, buttons and dialogs do. */
import type { Board, BoardLap } from '../race/board';
import type { Race } from '../race/race';
import { saveSettings } from '../site/settings';
import type { TextStore } from '../site/storage';
import { boardDialog, pauseDialog, settingsDialog } from '../ui/dialogs';
import type { Hud } from '../ui/hud';
import type { Command } from '../ui/input';
import type { Menu } from '../ui/menu';
import type { Sound } from '../ui/sound';
import type { ReplayRoom } from './replay-room';
import { backOrRestart, type Requests } from './requests';
import { type Screens, toggleFullscreen } from './screens';
import { linkToLap } from './sharing';
import type { Stage } from './stage';
import type { Supplies } from './starts';

/** What commands reach. */
export interface Commanded {
  stage: Stage;
  screens: Screens;
  menu: Menu;
  hud: Hud;
  board: Board;
  requests: Requests;
  replays: ReplayRoom;
  sound: Sound;
  store: TextStore;
}

/** What commands lead to. */
export interface Ways {
  toMenu(): void;
  demonstrate(): void;
  ghost(lap: BoardLap, along: boolean): void;
}

export class Commands {
  constructor(
    private readonly supplies: Supplies,
    private readonly commanded: Commanded,
    private readonly ways: Ways,
  ) {}

  do(command: Command): void {
    const { screens, replays, requests, stage } = this.commanded;
    const restarts = command === 'restart';
    if (command === 'mute') this.toggleMuted();
    else if (command === 'fullscreen') toggleFullscreen();
    else if (document.querySelector('dialog[open]') && !restarts) return;
    else if (screens.name === 'replay' && !restarts) replays.leave();
    else if (screens.name === 'results') requests.ask(restarts ? 'restart' : 'quitToMenu');
    else if (screens.name !== 'race') return;
    else if (stage.grid) requests.ask(restarts ? backOrRestart(stage.race) : 'togglePause');
    else if (!restarts) this.ways.toMenu();
  }

  pauseIfDriving(): void {
    const { screens, requests, stage } = this.commanded;
    const { race } = stage;
    if (screens.name === 'race' && race?.human && !race.finished && race.controller.phase !== 'paused')
      requests.ask('togglePause');
  }

  openPause(race: Race): void {
    const { screens, requests } = this.commanded;
    const canEnd = race.cars.some((car) => car.laps.length > 0);
    const actions = {
      resume: () => this.resume(race),
      restart: () => requests.ask('restart'),
      finish: canEnd ? () => race.end() : null,
      settings: () => this.openSettings(),
      quit: () => requests.ask('quitToMenu'),
    };
    screens.openPause(() => pauseDialog(actions));
  }

  openSettings(): void {
    settingsDialog(
      this.supplies.settings,
      () => this.settingsChanged(),
      () => this.commanded.menu.render(),
    );
  }

  openBoard(): void {
    const { board } = this.commanded;
    boardDialog(this.supplies.catalogue, this.supplies.settings, {
      load: (track) => board.top(track),
      race: (lap) => this.ways.ghost(lap, true),
      watch: (lap) => this.ways.ghost(lap, false),
      link: (lap) => linkToLap(board, lap),
    });
  }

  settingsChanged(): void {
    const { settings } = this.supplies;
    const { store, sound, hud, stage, screens } = this.commanded;
    saveSettings(store, settings);
    sound.setVolume(settings.volume, settings.muted);
    hud.setMuted(settings.muted);
    const shown = stage.race?.fleet;
    const same = shown?.track.file.id === settings.track && shown.car.id === settings.car;
    if (screens.name === 'menu' && !same) this.ways.demonstrate();
  }

  private resume(race: Race): void {
    const { screens, requests, stage } = this.commanded;
    if (!screens.paused) return;
    screens.closePause();
    if (stage.race === race && race.controller.phase === 'paused') requests.ask('togglePause');
  }

  private toggleMuted(): void {
    const { settings } = this.supplies;
    settings.muted = !settings.muted;
    this.settingsChanged();
    this.commanded.hud.say(settings.muted ? 'Sound off' : 'Sound on');
  }
}
