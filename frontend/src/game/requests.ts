/** What the player asked for since the last tick: to pause, restart, leave, or be put back on the road. */
import type { Race, RequestedChanges } from '../race/race';

const NOTHING: Required<RequestedChanges> = {
  togglePause: false,
  restart: false,
  quitToMenu: false,
  putBack: false,
};
/** A second R within this time after the car was put back restarts the race. */
const RESTART_WITHIN_TICKS = 120;

export class Requests {
  private readonly wanted = { ...NOTHING };

  ask(what: keyof RequestedChanges): void {
    this.wanted[what] = true;
  }

  /** All of it, once. */
  take(): RequestedChanges {
    const taken = { ...this.wanted };
    Object.assign(this.wanted, NOTHING);
    return taken;
  }
}

/** R puts the player's car back on the road; R again, or without a car on the road, restarts the race. */
export function backOrRestart(race: Race | null): 'putBack' | 'restart' {
  const human = race?.human;
  if (!race?.driving || !human || human.finishTick !== null || !race.isOnRoad(human)) return 'restart';
  const { putBackTick } = human.ground;
  const justNow = putBackTick !== null && race.tick - putBackTick < RESTART_WITHIN_TICKS;
  return justNow || race.controller.phase === 'respawning' ? 'restart' : 'putBack';
}
