/** Who decides what a car does, behind one interface, and the cars of a race with their drivers. */

import type { Controls } from '../physics/kernel';
import { reasonOf } from '../site/reasons';
import type { Outcome } from './controller';
import type { Race, RequestedChanges } from './race';
import { IDLE, type RaceCar } from './race-car';
import type { TapePlayer } from './tape';

const NO_REQUESTS: RequestedChanges = { togglePause: false, restart: false, quitToMenu: false };

export interface Driver {
  decide(observation: Float64Array): Controls | Promise<Controls>;
  /** The same driver without memory of what it saw, where it has one. */
  anew?(): Driver;
}

/** Repeats a recorded drive and then lets the car roll. */
export class ReplayDriver implements Driver {
  constructor(readonly player: TapePlayer) {}

  decide(): Controls {
    return this.player.ended ? { steer: 0, throttle: 0, brake: 0.3 } : this.player.next();
  }
}

/**
 * A race with its drivers, one tick at a time.
 *
 * Every driver decides on what it sees at a tick, and the kernel's own delay makes that count one tick later: so the
 * number of ticks, and not the frame rate, decides what a machine does, and its laps are those of the evaluation.
 */
export class Grid {
  /** Why a car's driver gave up, by car. */
  readonly failures = new Map<number, string>();
  private readonly decisions: Controls[] = [];

  constructor(
    readonly race: Race,
    readonly drivers: (Driver | null)[],
  ) {}

  async advance(person: Controls, requests: RequestedChanges = NO_REQUESTS): Promise<Outcome> {
    // A tick that pauses or restarts is not driven, so nobody is asked: a replay must not lose an input to it.
    const asks = !requests.togglePause && !requests.restart;
    for (const car of this.race.cars)
      this.decisions[car.number] = asks ? await this.decision(car, person) : IDLE;
    return this.race.advance(this.decisions, requests);
  }

  private async decision(car: RaceCar, person: Controls): Promise<Controls> {
    if (car.entrant.kind === 'human') return person;
    const driver = this.drivers[car.number];
    if (!driver || this.failures.has(car.number) || !this.race.needsControls(car)) return IDLE;
    try {
      const seen = this.race.fleet.observation(car.number, car.entrant.layout);
      return checked(await driver.decide(seen));
    } catch (error) {
      this.failures.set(car.number, reasonOf(error));
      this.race.park(car);
      return IDLE;
    }
  }
}

function checked(controls: Controls): Controls {
  if (Object.values(controls).every(Number.isFinite)) return controls;
  throw new Error('It answered with something that is no number.');
}
