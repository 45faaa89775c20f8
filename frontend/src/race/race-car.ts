/** A car of a race: who drives it, where it is, its laps, and how far it has come. */
import { ContactFleet } from '../physics/contact-fleet';
import type { Fleet, Seat } from '../physics/fleet';
import type { Controls } from '../physics/kernel';
import { newWatch, type StuckWatch } from './controller';
import { type Lap, type Offence, Trace } from './laps';
import { emptyPose, type Pose } from './poses';
import { slideOf } from './slide';
import { Tape } from './tape';

/** What counts as ground gained, in units along the lap. */
const GAIN_U = 0.01;
export const IDLE: Controls = { steer: 0, throttle: 0, brake: 0 };

export interface Entrant extends Seat {
  name: string;
  kind: 'human' | 'policy' | 'replay';
  colour: number;
  /** A recorded drive's: before which of its ticks the car was put back. */
  respawns?: number[];
}

export interface RaceCar {
  readonly number: number;
  readonly entrant: Entrant;
  readonly before: Pose;
  readonly now: Pose;
  readonly laps: Lap[];
  /** Race tick at which each gate was passed, in the order of passing. */
  readonly splits: number[];
  readonly tape: Tape;
  readonly watch: StuckWatch;
  readonly ground: Ground;
  /** How often it has touched somebody. */
  contacts: number;
  /** Ticks it was driven; waiting to be put back is none. */
  drivenTicks: number;
  /** What its driver last asked for. */
  asked: Controls;
  trace: Trace;
  offence: Offence | null;
  finishTick: number | null;
  gaveUp: boolean;
}

/** How far along the race a car has come. */
export interface Ground {
  /** Since it was last put back. */
  furthest: number;
  gaining: boolean;
  /** Ever, and the race tick at which that was. */
  record: number;
  recordTick: number;
  /** The race tick at which the car was last put back. */
  putBackTick: number | null;
}

export function newRaceCar(fleet: Fleet, entrant: Entrant, number: number): RaceCar {
  const car: RaceCar = {
    number,
    entrant,
    before: emptyPose(),
    now: emptyPose(),
    laps: [],
    splits: [],
    tape: new Tape(),
    watch: newWatch(fleet.file.respawn_ticks),
    ground: { furthest: 0, gaining: true, record: 0, recordTick: 0, putBackTick: null },
    contacts: 0,
    drivenTicks: 0,
    asked: IDLE,
    trace: new Trace(),
    offence: null,
    finishTick: null,
    gaveUp: false,
  };
  readPose(fleet, car);
  Object.assign(car.before, car.now);
  return car;
}

/** Whether a car is still to be seen: where cars touch, those that finished or retired leave the road. */
export function isOnRoad(fleet: Fleet, { number }: RaceCar): boolean {
  return fleet instanceof ContactFleet ? fleet.isRacing(number) : true;
}

/** Where the kernel has a car now. */
export function readPose(fleet: Fleet, car: RaceCar): void {
  const { state } = fleet;
  const n = car.number;
  const pose = car.now;
  pose.x = state.x_u![n]!;
  pose.y = state.y_u![n]!;
  pose.heading = state.heading_rad![n]!;
  pose.vx = state.vx_ups![n]!;
  pose.vy = state.vy_ups![n]!;
  pose.speed = state.speed_ups![n]!;
  pose.frontAngle = state.front_angle_rad![n]!;
  pose.slip = state.slip_rad![n]!;
  pose.slide = slideOf(fleet, n);
  pose.throttle = state.throttle![n]!;
  pose.brake = state.brake![n]!;
  pose.surface = state.surface![n]!;
  pose.gone = !isOnRoad(fleet, car);
}

/** Whether a car has come further in this tick of the race. */
export function noteGround(fleet: Fleet, car: RaceCar, tick: number): void {
  const { ground } = car;
  const reached = distanceOf(fleet, car);
  ground.gaining = reached > ground.furthest + GAIN_U;
  if (ground.gaining) ground.furthest = reached;
  if (reached <= ground.record + GAIN_U) return;
  ground.record = reached;
  ground.recordTick = tick;
}

/** Distance from the start of the race: gates passed, and what lies behind the last of them. */
export function distanceOf(fleet: Fleet, car: RaceCar): number {
  if (fleet instanceof ContactFleet) return fleet.contenders.distance_u![car.number]!;
  const { length_u, gates } = fleet.track.file;
  return (car.splits.length * length_u) / gates.arc_u.length + arcSinceGate(fleet, car);
}

/** Distance along the lap since the last gate; negative when the car is back behind it. */
export function arcSinceGate({ track, state }: Fleet, { number }: RaceCar): number {
  const { length_u, gates } = track.file;
  const ahead = state.arc_u![number]! - gates.arc_u[state.gate![number]!]!;
  return ahead - length_u * Math.round(ahead / length_u);
}
