/** The moments that decided a race: overtakes, contacts, cars off the road, laps, the finish. */

import { ROAD } from '../physics/numbers';
import type { RaceEvent } from './events';

import type { Race } from './race';
import type { RaceCar } from './race-car';

export type MomentKind = 'pass' | 'contact' | 'off' | 'lap' | 'finish' | 'out';

export interface Moment {
  tick: number;
  kind: MomentKind;
  car: number;
  other: number | null;
}

export const MOST_MOMENTS = 400;
/** Softer touches decide nothing. */
const LEAST_JOLT = 1;
/** A car that was back for less has not been off again. */
const BACK_TICKS = 120;

export class Moments {
  readonly all: Moment[] = [];
  private readonly offUntil = new Map<number, number>();

  /** What an event of a race says, if it is worth keeping. */
  note(event: RaceEvent, tick: number): void {
    if (event.type === 'pass') this.add(tick, 'pass', event.car, event.other);
    else if (event.type === 'lap') this.add(tick, 'lap', event.car);
    else if (event.type === 'finish') this.add(tick, 'finish', event.car);
    else if (event.type === 'retired') this.add(tick, 'out', event.car);
    else if (
      event.type === 'contact' &&
      event.jolt >= LEAST_JOLT &&
      this.isFirst(tick, event.car, event.other)
    )
      this.add(tick, 'contact', event.car, event.other);
  }

  /** Who has just left the road. */
  watch({ cars, tick }: Race): void {
    for (const car of cars) if (this.leavesRoad(car, tick)) this.add(tick, 'off', car.number);
  }

  private leavesRoad({ number, now }: RaceCar, tick: number): boolean {
    if (now.surface === ROAD || now.gone) return false;
    const before = this.offUntil.get(number) ?? Number.NEGATIVE_INFINITY;
    this.offUntil.set(number, tick + BACK_TICKS);
    return tick > before;
  }

  /** A contact is told by both cars: the first to tell it counts. */
  private isFirst(tick: number, car: number, other: number): boolean {
    return !this.all.some((moment) => moment.tick === tick && moment.car === other && moment.other === car);
  }

  private add(tick: number, kind: MomentKind, car: number, other: number | null = null): void {
    this.all.push({ tick, kind, car, other });
    if (this.all.length > MOST_MOMENTS) this.all.shift();
  }
}
