/** Two laps side by side, by distance along the track: time lost, speed, and in which turn. */
import { TICKS_PER_SECOND } from '../physics/numbers';
import type { Lap, Trace } from './laps';
import type { Turn } from './turns';

export const SAMPLES = 240;

/** A lap at even distances: when it got there and how fast it was. */
export interface Profile {
  /** Ticks since the start of the lap; SAMPLES + 1 entries, the last is the lap time. */
  ticks: Float64Array;
  speed: Float64Array;
}

export interface TurnLoss {
  turn: Turn;
  /** Ticks lost to the other lap from the middle of the straight before to the middle of the one after. */
  ticks: number;
}

export interface Comparison {
  yours: Profile;
  theirs: Profile;
  /** Ticks behind the other lap at each distance. */
  behind: Float64Array;
  losses: TurnLoss[];
}

export function compareLaps(yours: Lap, theirs: Lap, turns: Turn[], length: number): Comparison {
  const a = profile(yours.trace, length);
  const b = profile(theirs.trace, length);
  const behind = a.ticks.map((ticks, i) => ticks - b.ticks[i]!);
  return { yours: a, theirs: b, behind, losses: lossesByTurn(behind, turns, length) };
}

/** Resample a trace; a car that went back keeps the time at which it first got furthest. */
export function profile(trace: Trace, length: number): Profile {
  const ticks = new Float64Array(SAMPLES + 1);
  const speed = new Float64Array(SAMPLES + 1);
  let next = 1;
  let furthest = 0;
  speed[0] = trace.speed[0] ?? 0;
  for (let tick = 0; tick < trace.ticks && next < SAMPLES; tick++) {
    const here = unwrapped(trace.arc[tick]!, tick, trace.ticks, length);
    if (here <= furthest) continue;
    for (; next < SAMPLES && (next * length) / SAMPLES <= here; next++) {
      const share = ((next * length) / SAMPLES - furthest) / (here - furthest);
      ticks[next] = tick + share;
      speed[next] = mixed(trace.speed[tick - 1] ?? trace.speed[tick]!, trace.speed[tick]!, share);
    }
    furthest = here;
  }
  for (; next <= SAMPLES; next++) {
    ticks[next] = trace.ticks;
    speed[next] = trace.speed.at(-1) ?? 0;
  }
  return { ticks, speed };
}

/** A lap begins just before the line or after it, and ends just past it: both belong to this lap. */
function unwrapped(arc: number, tick: number, ticks: number, length: number): number {
  if (tick < ticks / 2 && arc > 0.75 * length) return arc - length;
  if (tick > ticks / 2 && arc < 0.25 * length) return arc + length;
  return arc;
}

function mixed(a: number, b: number, share: number): number {
  return a + (b - a) * share;
}

function lossesByTurn(behind: Float64Array, turns: Turn[], length: number): TurnLoss[] {
  const at = (arc: number) => behind[Math.round((arc / length) * SAMPLES)]!;
  return turns.map((turn, i) => {
    const before = turns[i - 1];
    const after = turns[i + 1];
    const from = before ? (before.to + turn.from) / 2 : 0;
    const to = after ? (turn.to + after.from) / 2 : length;
    return { turn, ticks: at(to) - at(from) };
  });
}

/** "You lost 0.31 s in turn 4": the largest loss, or the largest gain when nothing was lost. */
export function largestLoss(losses: TurnLoss[], who = 'You'): string {
  const sorted = [...losses].sort((a, b) => b.ticks - a.ticks);
  const [worst, best] = [sorted[0], sorted.at(-1)];
  if (!worst || !best) return '';
  const seconds = (ticks: number) => (Math.abs(ticks) / TICKS_PER_SECOND).toFixed(2);
  if (worst.ticks >= 1) return `${who} lost ${seconds(worst.ticks)} s in turn ${worst.turn.number}`;
  if (best.ticks <= -1) return `${who} gained ${seconds(best.ticks)} s in turn ${best.turn.number}`;
  return 'Level in every turn';
}
