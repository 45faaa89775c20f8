/** The way from the menu, the board or an address into a race, and back when it cannot begin. */
import type { Board, BoardLap } from '../race/board';
import { linkOf, settingsOf } from '../race/links';
import { reasonOf } from '../site/reasons';
import type { Hud } from '../ui/hud';
import type { Menu } from '../ui/menu';
import type { Progress } from '../ui/progress';
import type { Learning } from './learning';
import type { Screens } from './screens';
import type { Stage } from './stage';
import {
  type Begin,
  canBeginAlone,
  demonstrate,
  type Supplies,
  startGhost,
  startLink,
  startRace,
  watchTraining,
} from './starts';

/** What shows how a race begins. */
export interface StartingPlaces {
  stage: Stage;
  screens: Screens;
  menu: Menu;
  hud: Hud;
  board: Board;
  progress: Progress;
}

export class RaceStarter {
  /** The training that is watched, if one is. */
  learning: Learning | null = null;
  /** Go back to the menu. */
  onFailure: () => void = () => {};

  constructor(
    private readonly supplies: Supplies,
    private readonly places: StartingPlaces,
  ) {}

  /** The AI alone, behind the menu. */
  async demonstrate(): Promise<void> {
    const { stage } = this.places;
    const stillWanted = stage.wish();
    await demonstrate(this.supplies, (plan) => stage.begin(plan, stillWanted));
  }

  /** The race that the menu says. */
  async start(): Promise<void> {
    const { settings } = this.supplies;
    let hurry = () => {};
    const impatience = new Promise<void>((resolve) => {
      hurry = resolve;
    });
    const start = async (begin: Begin) => {
      if (settings.mode === 'learn') return this.watch(begin);
      const problem = await startRace(this.supplies, begin, impatience);
      if (problem) this.places.hud.notify(problem);
    };
    await this.attempt(start, canBeginAlone(settings) ? hurry : null);
  }

  /** Race or watch a lap of the board. */
  async ghost(lap: BoardLap, along: boolean): Promise<void> {
    await this.attempt((begin) => startGhost(this.supplies, this.places.board, lap, along, begin));
  }

  /** Follow the address of the page, if it asks for a race. */
  async followAddress(): Promise<void> {
    const { catalogue, settings } = this.supplies;
    const { menu, board } = this.places;
    try {
      const link = await linkOf(location.href, catalogue);
      if (!link) return;
      Object.assign(settings, settingsOf(link));
      menu.render();
      await this.attempt((begin) => startLink(this.supplies, board, link, begin));
    } catch (error) {
      menu.complain(reasonOf(error));
    }
  }

  /** Watch no training any more. */
  closeLearning(): void {
    this.learning?.close();
    this.learning = null;
  }

  private async watch(begin: Begin): Promise<void> {
    const { stage, hud } = this.places;
    const host = { grid: () => stage.grid, say: (text: string) => hud.say(text) };
    this.learning = await watchTraining(this.supplies, host, begin);
  }

  /** Leave the menu for a race; when it cannot begin, come back and say why. */
  private async attempt(
    start: (begin: Begin) => Promise<void>,
    skip: (() => void) | null = null,
  ): Promise<void> {
    const { stage, screens, progress, menu } = this.places;
    const stillWanted = stage.wish();
    stage.grid = null;
    screens.show('race');
    progress.show(skip);
    try {
      await start((plan) => stage.begin(plan, stillWanted));
    } catch (error) {
      if (!stillWanted()) return;
      this.onFailure();
      menu.complain(reasonOf(error));
    }
  }
}
