/** The phases of a race and what moves it from one to the next, tick by tick. */
import { TICKS_PER_SECOND } from '../physics/numbers';

export type Phase = 'countdown' | 'racing' | 'paused' | 'respawning' | 'finished';
export type Outcome = 'none' | 'respawn' | 'reset_no_cd' | 'quit_to_menu';

export const BEAT_TICKS = TICKS_PER_SECOND;
export const FIRST_BEAT = 3;
export const STUCK_SPEED_UPS = 2;
export const STUCK_TICKS = 300;
/** How long a car that a wall holds may gain no ground. */
export const PINNED_TICKS = 90;

/** How a car gets on. What the recorded races do not know is left out there, and then changes nothing. */
export interface CarHealth {
  speed: number;
  /** Whether it gained ground along the lap this tick. */
  gaining?: boolean;
  /** Whether a wall is touched. */
  atWall?: boolean;
  /** Whether its driver asks to be put back. */
  putBack?: boolean;
}

/** How long a car has hardly moved or gained no ground, and how long until it is put back; each car has its own. */
export interface StuckWatch {
  stuckTicks: number;
  idleTicks: number;
  respawnTicksLeft: number;
  /** How long a car waits to be put back: what the kernel adds to its clocks. */
  readonly respawnTicks: number;
}

export interface ControllerState extends StuckWatch {
  phase: Phase;
  /** 3, 2, 1, then 0 for GO. */
  countdownBeat: number;
  countdownTicksLeft: number;
  /** Whether this is the first start of the race; restarts do without the countdown. */
  initialLoad: boolean;
  /** 0 means that the race never ends. */
  targetLaps: number;
  /** What to go back to after a pause. */
  resumePhase: Phase;
}

/** What the player asked for and how the car is doing, once per tick. */
export interface Signals extends CarHealth {
  togglePause: boolean;
  restart: boolean;
  quitToMenu: boolean;
  timing: { lapComplete: boolean; currentLap: number } | null;
}

export const NO_SIGNALS: Signals = {
  togglePause: false,
  restart: false,
  quitToMenu: false,
  speed: Number.POSITIVE_INFINITY,
  timing: null,
};

export function newWatch(respawnTicks: number): StuckWatch {
  return { stuckTicks: 0, idleTicks: 0, respawnTicksLeft: 0, respawnTicks };
}

export function newController(
  targetLaps: number,
  withCountdown: boolean,
  respawnTicks: number,
): ControllerState {
  return {
    ...newWatch(respawnTicks),
    phase: withCountdown ? 'countdown' : 'racing',
    countdownBeat: FIRST_BEAT,
    countdownTicksLeft: BEAT_TICKS,
    initialLoad: withCountdown,
    targetLaps,
    resumePhase: 'racing',
  };
}

/** One tick of the race's phases, in place; the outcome is what the owner of the race must do. */
export function advanceController(state: ControllerState, signals: Signals): Outcome {
  if (state.phase === 'finished') return finishedOutcome(signals);
  if (state.phase === 'paused') return pausedOutcome(state, signals);
  if (signals.restart) return 'reset_no_cd';
  if (signals.togglePause) {
    state.resumePhase = state.phase;
    state.phase = 'paused';
    return 'none';
  }
  if (state.phase === 'countdown') advanceCountdown(state);
  else return advanceDriving(state, signals);
  return 'none';
}

function finishedOutcome(signals: Signals): Outcome {
  if (signals.restart) return 'reset_no_cd';
  return signals.quitToMenu || signals.togglePause ? 'quit_to_menu' : 'none';
}

function pausedOutcome(state: ControllerState, signals: Signals): Outcome {
  if (signals.quitToMenu) return 'quit_to_menu';
  if (signals.restart) return 'reset_no_cd';
  if (signals.togglePause) state.phase = state.resumePhase;
  return 'none';
}

function advanceCountdown(state: ControllerState): void {
  state.countdownTicksLeft -= 1;
  if (state.countdownTicksLeft > 0) return;
  if (state.countdownBeat === 0) {
    state.phase = 'racing';
    return;
  }
  state.countdownBeat -= 1;
  state.countdownTicksLeft = BEAT_TICKS;
}

function advanceDriving(state: ControllerState, signals: Signals): Outcome {
  if (hasFinished(state, signals)) {
    forceFinish(state);
    return 'none';
  }
  const respawned = advanceStuckWatch(state, signals);
  state.phase = state.respawnTicksLeft > 0 ? 'respawning' : 'racing';
  return respawned ? 'respawn' : 'none';
}

function hasFinished(state: ControllerState, { timing }: Signals): boolean {
  return state.targetLaps > 0 && timing?.lapComplete === true && timing.currentLap > state.targetLaps;
}

/** End the race from outside: everybody is home, or the time after the first finisher is up. */
export function forceFinish(state: ControllerState): void {
  state.phase = 'finished';
  state.stuckTicks = 0;
  state.idleTicks = 0;
  state.respawnTicksLeft = 0;
}

/** Count ticks without speed or ground gained, then the wait; true on the tick at which the car is put back. */
export function advanceStuckWatch(watch: StuckWatch, health: CarHealth): boolean {
  if (watch.respawnTicksLeft > 0) {
    watch.respawnTicksLeft -= 1;
    return watch.respawnTicksLeft === 0;
  }
  watch.stuckTicks = health.speed < STUCK_SPEED_UPS ? watch.stuckTicks + 1 : 0;
  watch.idleTicks = (health.gaining ?? true) ? 0 : watch.idleTicks + 1;
  if (!isStuck(watch, health)) return false;
  watch.stuckTicks = 0;
  watch.idleTicks = 0;
  watch.respawnTicksLeft = watch.respawnTicks;
  return false;
}

function isStuck(watch: StuckWatch, { atWall, putBack }: CarHealth): boolean {
  const patience = atWall ? PINNED_TICKS : STUCK_TICKS;
  return putBack === true || watch.stuckTicks >= STUCK_TICKS || watch.idleTicks >= patience;
}
