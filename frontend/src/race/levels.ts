/** Opponents by strength: levels of every driver, as the server lists them, and rivals that follow the player. */
import type { Controls } from '../physics/kernel';
import type { Level } from '../site/data';
import { FOLLOWS, FULL_STRENGTH, MIXED_LEVELS, type Settings } from '../site/settings';
import type { Driver } from './drivers';
import type { Race } from './race';

/** A driver at a level: it acts on what it saw some ticks ago, and gives less throttle. One for each car and start. */
export class LevelDriver implements Driver {
  /** What was seen in the last ticks, the oldest first. */
  private readonly seen: Float64Array[] = [];

  constructor(
    private readonly driver: Driver,
    private readonly level: Level,
  ) {}

  async decide(observation: Float64Array): Promise<Controls> {
    const { steer, throttle, brake } = await this.driver.decide(this.late(observation));
    return { steer, throttle: throttle * this.level.throttle, brake };
  }

  anew(): Driver {
    return new LevelDriver(this.driver, this.level);
  }

  private late(observation: Float64Array): Float64Array {
    const isFull = this.seen.length > this.level.late_ticks;
    const place = isFull ? this.seen.shift()! : new Float64Array(observation.length);
    place.set(observation);
    this.seen.push(place);
    return this.seen[0]!;
  }
}

/** The number of the level that an opponent drives at; null for as it learned. */
export function levelOf(
  { strength, level }: Pick<Settings, 'strength' | 'level'>,
  levels: number,
  opponent = 0,
): number | null {
  const mixed = levels - (opponent % Math.max(1, levels));
  const chosen = strength === FOLLOWS ? level : strength === MIXED_LEVELS ? mixed : strength;
  return chosen > FULL_STRENGTH && chosen <= levels ? chosen : null;
}

/** The level of rivals after a race, where they follow the player and the race had a winner; else as it was. */
export function levelAfter(race: Race, { strength, mode, level }: Settings, levels: number): number {
  const { human, targetLaps, cars } = race;
  const follows = strength === FOLLOWS && (mode === 'versus' || mode === 'race');
  if (!follows || !human || targetLaps === 0 || cars.length < 2) return level;
  return nextLevel(level, race.standings().indexOf(human) + 1, cars.length, levels);
}

/** The level of rivals that follow the player: one up after a win, one down after a place in the second half. */
export function nextLevel(level: number, place: number, cars: number, levels: number): number {
  const step = place === 1 ? 1 : place > cars / 2 ? -1 : 0;
  return Math.min(levels + 1, Math.max(1, level + step));
}
