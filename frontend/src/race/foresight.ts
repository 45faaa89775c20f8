/** What a driver expects: its car driven ahead in a kernel of its own, by its own decisions, as if nobody else moved. */
import type { Fleet } from '../physics/fleet';
import type { Controls } from '../physics/kernel';
import { TICKS_PER_SECOND } from '../physics/numbers';
import type { Point } from '../site/data';
import type { Driver } from './drivers';
import type { Entrant } from './race-car';

export const AHEAD_S = 2;
const AHEAD_TICKS = AHEAD_S * TICKS_PER_SECOND;
/** How much is thought in one tick of the race: all of it at once would cost a frame. */
const TICKS_AT_ONCE = 8;
const TICKS_PER_POINT = 6;

export interface Expectation {
  /** Who expects it. */
  name: string;
  /** Where the car will be, from where it was when the thought began; ticks of the race since then. */
  path: Point[];
  age: number;
  /** How far along the lap it will have come, and how fast it will be. */
  gained: number;
  speed: number;
  /** Whether it will have left the road. */
  leavesRoad: boolean;
}

/** Who thinks ahead, and for which car. */
export interface Thinker {
  number: number;
  entrant: Entrant;
  driver: Driver;
}

interface Thought extends Expectation {
  driver: Driver;
  entrant: Entrant;
  /** What it saw of others: they stay where they are beside it. */
  others: Float64Array;
  ticks: number;
}

export class Foresight {
  /** What was last thought to its end. */
  expected: Expectation | null = null;
  private thought: Thought | null = null;

  /** `ahead` has one car, on the track of those that think. */
  constructor(private readonly ahead: Fleet) {}

  /** Think on, or begin anew with a car as it is now. */
  async think(fleet: Fleet, thinker: Thinker): Promise<void> {
    this.thought ??= this.begin(fleet, thinker);
    for (const each of [this.thought, this.expected]) if (each) each.age += 1;
    for (let n = 0; n < TICKS_AT_ONCE && this.thought.ticks < AHEAD_TICKS; n++) await this.tick(this.thought);
    if (this.thought.ticks < AHEAD_TICKS) return;
    this.expected = this.thought;
    this.thought = null;
  }

  private begin(fleet: Fleet, { number, entrant, driver }: Thinker): Thought {
    this.ahead.take(fleet, number, entrant.layout);
    const alone = this.ahead.observation(0, entrant.layout).length;
    const others = fleet.observation(number, entrant.layout).slice(alone);
    const thought = { driver: driver.anew?.() ?? driver, entrant, others, ticks: 0 };
    return {
      ...thought,
      name: entrant.name,
      path: [this.place()],
      age: 0,
      gained: 0,
      speed: 0,
      leavesRoad: false,
    };
  }

  private async tick(thought: Thought): Promise<void> {
    const { state, outputs, track } = this.ahead;
    const before = state.arc_u![0]!;
    const decision: Controls = await thought.driver.decide(this.seen(thought));
    this.ahead.control(0, decision);
    this.ahead.advance([{ number: 0, entrant: thought.entrant }]);
    const gained = state.arc_u![0]! - before;
    thought.gained += gained - track.file.length_u * Math.round(gained / track.file.length_u);
    thought.speed = state.speed_ups![0]!;
    thought.leavesRoad ||= outputs.off_track![0] !== 0;
    thought.ticks += 1;
    if (thought.ticks % TICKS_PER_POINT === 0) thought.path.push(this.place());
  }

  private seen({ entrant, others }: Thought): Float64Array {
    const own = this.ahead.observation(0, entrant.layout);
    if (others.length === 0) return own;
    const all = new Float64Array(own.length + others.length);
    all.set(own);
    all.set(others, own.length);
    return all;
  }

  private place(): Point {
    return [this.ahead.state.x_u![0]!, this.ahead.state.y_u![0]!];
  }
}

/** The part of an expected path that the car has not driven yet. */
export function stillAhead({ path, age }: Expectation): Point[] {
  return path.slice(Math.ceil(age / TICKS_PER_POINT));
}
