/** Opponents by strength: the ages of a driver from its first steps to its best, and a rival that follows your level. */
import type { PolicyEntry } from '../site/data';

/** What the player chooses to race a rival that follows their level. */
export const FOLLOWS = 'follows';
/** Of a ladder as long as this every won or lost race is a rung. */
const RUNGS = 8;

/** The opponent at a level between 0, the first rung, and 1, the last. */
export function opponentAt(ladder: PolicyEntry[], level: number): PolicyEntry | null {
  return ladder[Math.round(Math.min(1, Math.max(0, level)) * (ladder.length - 1))] ?? null;
}

/** The level after a race: a rung up for a win, one down for a defeat. */
export function nextLevel(level: number, won: boolean, rungs: number): number {
  const step = 1 / Math.max(1, Math.min(RUNGS, rungs) - 1);
  return Math.min(1, Math.max(0, level + (won ? step : -step)));
}
