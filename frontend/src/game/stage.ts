/** The race on the track: put there when asked for, begun anew, and dropped as soon as something else is asked for. */

import type { Fleet } from '../physics/fleet';
import type { Controls } from '../physics/kernel';
import { DRAWN_SLOT, TICKS_PER_SECOND } from '../physics/numbers';
import type { Outcome } from '../race/controller';
import { Grid } from '../race/drivers';
import { type Expectation, Foresight } from '../race/foresight';
import type { Garage } from '../race/garage';
import { KeySteering, roadSteer } from '../race/key-steering';
import { Race, type RequestedChanges } from '../race/race';
import { IDLE, type RaceCar } from '../race/race-car';
import { ReferenceGhost } from '../race/reference-ghost';
import { TapePlayer } from '../race/tape';
import type { Track } from '../site/data';
import type { Settings, StartOrder } from '../site/settings';
import type { Hands } from '../ui/input';
import type { LineUp } from './line-up';

/** A race that is asked for. */
export interface Plan {
  track: string;
  car: string;
  line: LineUp;
  /** 0 for as many as one likes. */
  laps: number;
  /** Whether it begins with a countdown. */
  counts: boolean;
  /** How the grid of a race with contact is drawn; without it nobody touches anybody. */
  contact?: GridDraw | undefined;
}

export interface GridDraw {
  /** Where the first car starts. */
  order: StartOrder;
  seed: number;
}

/** How long the picture stays where a car left the road. */
const LINGER_TICKS = 60;

export class Stage {
  grid: Grid | null = null;
  onBegin: (race: Race) => void = () => {};
  /** What is on the track. */
  plan: Plan | null = null;
  private foresight: Foresight | null = null;
  private script: TapePlayer | null = null;
  private readonly wheel = new KeySteering();
  /** Counts what the page was asked to show. */
  private wishes = 0;

  constructor(private readonly garage: Garage) {}

  get race(): Race | null {
    return this.grid?.race ?? null;
  }

  /** The car to follow: the player's, or else the first; after it has left the road, whoever leads there. */
  get followed(): RaceCar | null {
    const { race } = this;
    const own = race?.human ?? race?.cars[0] ?? null;
    if (!race || !own || race.isOnRoad(own)) return own;
    const leftFor = race.tick - (own.finishTick ?? 0);
    const leader = leftFor > LINGER_TICKS ? race.standings().find((car) => race.isOnRoad(car)) : null;
    return leader ?? own;
  }

  /** Something new is wanted: what arrives later can ask whether it still is. */
  wish(): () => boolean {
    const number = ++this.wishes;
    return () => number === this.wishes;
  }

  /** Let a recorded drive take the player's wheel from the next start on. */
  driveFrom(inputs: string): void {
    this.script = new TapePlayer({ inputs, respawns: [] });
  }

  /** Put a race on the track; false, and nothing done, when something else was asked for meanwhile. */
  async begin(plan: Plan, stillWanted: () => boolean): Promise<boolean> {
    const track = await this.garage.track(plan.track);
    const fleet = await this.fleetOf(plan, track);
    if (!stillWanted()) return false;
    this.plan = plan;
    this.put(new Race(fleet, plan.line.entrants, plan.laps, plan.counts), plan.line);
    return true;
  }

  /** The same cars at the start again, without a countdown; whether they are there. */
  async restart(): Promise<boolean> {
    const { race, plan } = this;
    if (!race || !plan) return false;
    const stillWanted = this.wish();
    const fleet = await this.fleetOf(plan, race.fleet.track);
    if (!stillWanted()) return false;
    this.put(new Race(fleet, plan.line.entrants, race.targetLaps, false), plan.line);
    return true;
  }

  /** Cars for a race: those that touch each other have a kernel of their own. */
  private async fleetOf({ line, car, laps, contact }: Plan, track: Track): Promise<Fleet> {
    const cars = Math.max(1, line.entrants.length);
    if (!contact) return this.garage.kernel.fleet(track, cars, car);
    const slot = { last: cars - 1, first: 0, drawn: DRAWN_SLOT }[contact.order];
    return (await this.garage.races()).fleet(track, cars, car, { laps, seed: contact.seed, slot });
  }

  /** A tick of everybody. */
  async tick(hands: Hands, choices: Settings, requests: RequestedChanges): Promise<Outcome> {
    if (!this.grid) return 'none';
    const { race } = this.grid;
    const controls = this.script ? IDLE : this.personControls(race, hands, choices);
    const outcome = await this.grid.advance(this.scripted(race, controls, requests), requests);
    if (!choices.showRays) this.foresight = null;
    else if (race.driving) await this.thinkAhead(this.grid);
    return outcome;
  }

  /** What the driver whose senses are shown expects; null where nobody thinks. */
  get expected(): Expectation | null {
    return this.foresight?.expected ?? null;
  }

  /** Who fails while thinking ahead fails at the wheel as well, and that is told. */
  private async thinkAhead({ race, drivers, failures }: Grid): Promise<void> {
    const car = race.cars.find(({ entrant }) => entrant.kind === 'policy');
    const driver = car && drivers[car.number];
    if (!driver || failures.has(car.number) || !race.isOnRoad(car)) {
      this.foresight = null;
      return;
    }
    try {
      const { track, car: kind } = race.fleet;
      const foresight = this.foresight ?? new Foresight(await this.garage.kernel.fleet(track, 1, kind.id));
      if (race !== this.race) return;
      this.foresight = foresight;
      await foresight.think(race.fleet, { number: car.number, entrant: car.entrant, driver });
    } catch {
      this.foresight = null;
    }
  }

  private put(race: Race, line: LineUp): void {
    this.grid = new Grid(race, line.drivers());
    this.foresight = null;
    const reference = race.fleet.track.file.references[race.fleet.car.id];
    race.title = line.title ?? '';
    race.ghost = line.ghost && reference ? new ReferenceGhost(reference) : null;
    if (this.script) this.script.tick = 0;
    this.wheel.reset();
    this.onBegin(race);
  }

  /** What the player's hands mean to the car: keys turn a wheel, sticks and fingers hold it themselves. */
  private personControls(race: Race, hands: Hands, choices: Settings): Controls {
    const { human } = race;
    if (!human) return IDLE;
    const { car } = race.fleet;
    const { speed } = human.now;
    const wheel = this.wheel.advance(hands.keys, speed / car.topSpeed, 1 / TICKS_PER_SECOND, {
      sensitivity: choices.keySensitivity,
      reach: car.keyReach(speed),
    });
    const held = Math.abs(hands.steer) > Math.abs(wheel) ? hands.steer : wheel;
    const helped = choices.steeringHelp && held === 0;
    const arc = race.fleet.state.arc_u![human.number]!;
    const steer = helped ? roadSteer(human.now, arc, race.fleet.track.file) : held;
    return { steer, throttle: hands.throttle, brake: hands.brake };
  }

  private scripted(race: Race, controls: Controls, requests: RequestedChanges): Controls {
    if (!this.script || !race.human) return controls;
    const drives = race.needsControls(race.human) && !requests.togglePause && !requests.restart;
    return drives && !this.script.ended ? this.script.next() : IDLE;
  }
}
