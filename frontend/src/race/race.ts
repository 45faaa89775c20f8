/** A race without a screen: cars in the kernel's memory, laps, gaps, respawns and the finish. */

import { ContactFleet } from '../physics/contact-fleet';
import type { Fleet } from '../physics/fleet';
import type { Controls } from '../physics/kernel';
import { ROAD } from '../physics/numbers';
import { contactEvents } from './contact';
import {
  advanceController,
  advanceStuckWatch,
  type CarHealth,
  type ControllerState,
  forceFinish,
  NO_SIGNALS,
  newController,
  type Outcome,
} from './controller';
import type { RaceEvent } from './events';
import { bestLap, type Lap, Trace } from './laps';
import type { Pose } from './poses';
import {
  arcSinceGate,
  distanceOf,
  type Entrant,
  IDLE,
  isOnRoad,
  newRaceCar,
  noteGround,
  type RaceCar,
  readPose,
} from './race-car';
import type { ReferenceGhost } from './reference-ghost';
import { quantised } from './tape';

export const FINISH_WAIT_TICKS = 300;
/** The same where a whole field is on its way home; nobody waits so long once the person has finished. */
export const FIELD_WAIT_TICKS = 1200;
/** How long the race waits for a person who gains no new ground after everybody else has finished. */
export const PATIENCE_TICKS = 1800;
const ROLLING_OUT: Controls = { steer: 0, throttle: 0, brake: 0.35 };
/** Laps whose traces are kept: of one car at most, and of all cars together. */
const KEPT_TRACES = 40;
const KEPT_TRACES_OF_ALL = 80;

export interface RequestedChanges {
  /** Put the person's car back on the road. */
  putBack?: boolean;
  togglePause: boolean;
  restart: boolean;
  quitToMenu: boolean;
}

export class Race {
  readonly live = true;
  readonly cars: RaceCar[];
  readonly controller: ControllerState;
  readonly human: RaceCar | null;
  /** What the kernel knows of the race, where cars touch each other. */
  readonly contact: ContactFleet | null;
  /** Ticks since the start, the same for everybody; pauses and countdown not counted. */
  tick = 0;
  /** What it is called, where that is to be said. */
  title = '';
  /** The reference lap, drawn beside the person. */
  ghost: ReferenceGhost | null = null;
  /** What happened since somebody last looked; the page takes it for sound and sparks. */
  events: RaceEvent[] = [];
  private finishWait: number | null = null;
  private over = false;

  constructor(
    readonly fleet: Fleet,
    entrants: Entrant[],
    readonly targetLaps: number,
    withCountdown: boolean,
  ) {
    this.controller = newController(targetLaps, withCountdown, fleet.file.respawn_ticks);
    this.contact = fleet instanceof ContactFleet ? fleet : null;
    fleet.begin(entrants);
    this.cars = entrants.map((entrant, number) => newRaceCar(fleet, entrant, number));
    this.human = this.cars.find((car) => car.entrant.kind === 'human') ?? null;
    if (withCountdown) this.events.push({ type: 'beat', beat: this.controller.countdownBeat });
  }

  get driving(): boolean {
    return this.controller.phase === 'racing' || this.controller.phase === 'respawning';
  }

  get finished(): boolean {
    return this.controller.phase === 'finished';
  }

  /** Whether a driver has to decide this tick. */
  needsControls(car: RaceCar): boolean {
    return this.driving && car.watch.respawnTicksLeft === 0 && this.isOnRoad(car);
  }

  /** Whether a car is still to be seen. */
  isOnRoad(car: RaceCar): boolean {
    return isOnRoad(this.fleet, car);
  }

  /** Take a car out of the race whose driver failed; one that touches nobody may roll to a halt. */
  park(car: RaceCar): void {
    this.contact?.park(car.number);
  }

  /** One sixtieth of a second; `wanted` has one entry per car. */
  advance(wanted: Controls[], requests: RequestedChanges = NO_SIGNALS): Outcome {
    if (this.driving && !requests.restart && !requests.togglePause) this.drive(wanted, requests);
    const beat = this.controller.countdownBeat;
    const counting = this.controller.phase === 'countdown';
    const outcome = advanceController(this.controller, { ...requests, ...this.humanSignals() });
    this.followHuman(outcome);
    if (counting && this.controller.countdownBeat !== beat)
      this.events.push({ type: 'beat', beat: this.controller.countdownBeat });
    if (counting && this.driving) this.events.push({ type: 'go' });
    if (this.finished && !this.over) this.end();
    return outcome;
  }

  /** Everybody by how far they are: finishers by time, a person before a machine, then by gates and distance. */
  standings(): RaceCar[] {
    return [...this.cars].sort((a, b) => this.aheadness(a, b));
  }

  /** Ticks by which `car` was behind `rival` at the last gate both have passed; null before there is one. */
  gap(car: RaceCar, rival: RaceCar): number | null {
    const both = Math.min(car.splits.length, rival.splits.length) - 1;
    return both < 0 ? null : car.splits[both]! - rival.splits[both]!;
  }

  /** The first rival: the machine that is furthest. */
  rival(): RaceCar | null {
    return this.standings().find((car) => car !== this.human) ?? null;
  }

  /** Where the reference lap is at this time of the person's lap. */
  ghostPose(share: number): Pose | null {
    const { ghost, human } = this;
    if (!ghost || !human || human.finishTick !== null) return null;
    return ghost.at(Math.max(0, this.lapTicks(human) + (this.driving ? share - 1 : 0)));
  }

  lapNumber(car: RaceCar): number {
    const lap = this.fleet.state.lap![car.number]!;
    return this.targetLaps > 0 ? Math.min(lap, this.targetLaps) : lap;
  }

  lapTicks(car: RaceCar): number {
    const { respawnTicks, respawnTicksLeft } = car.watch;
    const waited = respawnTicksLeft > 0 ? respawnTicks - respawnTicksLeft : 0;
    return this.fleet.state.lap_ticks![car.number]! + waited;
  }

  /** Stop now and look at what was driven: how free driving ends. */
  end(): void {
    if (this.over) return;
    this.over = true;
    forceFinish(this.controller);
    this.events.push({ type: 'over' });
  }

  private drive(wanted: Controls[], { putBack }: RequestedChanges): void {
    this.tick += 1;
    if (putBack && this.human) this.contact?.askBack(this.human.number);
    const gates = Array.from(this.fleet.state.gate!);
    const driven = this.cars.filter((car) => this.takesControls(car, wanted[car.number] ?? IDLE));
    this.fleet.advance(driven);
    for (const car of driven) this.noteDriven(car, gates[car.number]!);
    if (this.contact) this.events.push(...contactEvents(this.contact, driven));
    this.countDownToTheEnd();
  }

  /** Whether a car is driven in this tick, and then by what; one that waits to be put back, or has gone home, is not. */
  private takesControls(car: RaceCar, wanted: Controls): boolean {
    Object.assign(car.before, car.now);
    if (car.watch.respawnTicksLeft > 0) {
      this.watchOver(car);
      return false;
    }
    if (!this.isOnRoad(car)) return false;
    this.fleet.control(car.number, this.controlsOf(car, wanted));
    return true;
  }

  private noteDriven(car: RaceCar, gate: number): void {
    readPose(this.fleet, car);
    car.drivenTicks += 1;
    if (car.finishTick !== null) return;
    this.noteTick(car, car.asked);
    if (this.fleet.state.gate![car.number] !== gate) this.noteGate(car);
    if (this.fleet.outputs.lap_complete![car.number]) this.noteLap(car);
    noteGround(this.fleet, car, this.tick);
    if (this.contact) this.notePutBack(this.contact, car);
    else this.watchOver(car);
  }

  /** Where cars touch, the kernel puts stuck ones back, or takes hopeless ones off the road. */
  private notePutBack(contact: ContactFleet, car: RaceCar): void {
    if (contact.facts.put_back![car.number]) this.afterRespawn(car);
    if (!contact.hasRetired(car.number)) return;
    car.gaveUp = true;
    this.events.push({ type: 'retired', car: car.number });
  }

  /** A person's car rolls out after the finish; machines drive on. */
  private controlsOf(car: RaceCar, wanted: Controls): Controls {
    const done = car.finishTick !== null && car.entrant.kind !== 'policy';
    const controls = done ? ROLLING_OUT : car.entrant.kind === 'human' ? quantised(wanted) : wanted;
    car.asked = controls;
    return controls;
  }

  private noteTick(car: RaceCar, controls: Controls): void {
    const { state, outputs } = this.fleet;
    const n = car.number;
    if (car.entrant.kind === 'human') car.tape.record(controls);
    const arc = state.arc_u![n]!;
    car.trace.add(arc, car.now.speed, car.now.x, car.now.y);
    if (outputs.collided![n]) this.events.push({ type: 'hit', car: n, speed: car.before.speed });
    if (car.offence) return;
    if (car.now.surface !== ROAD) car.offence = { kind: 'road', arc };
    else if (outputs.wall_contact![n] || outputs.collided![n]) car.offence = { kind: 'wall', arc };
  }

  private noteGate(car: RaceCar): void {
    car.splits.push(this.tick);
    this.events.push({ type: 'gate', car: car.number, gate: this.fleet.state.gate![car.number]! });
  }

  private noteLap(car: RaceCar): void {
    const { outputs } = this.fleet;
    const clean = outputs.lap_clean![car.number] === 1;
    const lap: Lap = {
      number: car.laps.length + 1,
      ticks: outputs.last_lap_ticks![car.number]!,
      clean,
      offence: clean ? null : car.offence,
      trace: car.trace,
    };
    const former = bestLap(car.laps, true);
    car.laps.push(lap);
    const kept = Math.min(KEPT_TRACES, Math.ceil(KEPT_TRACES_OF_ALL / this.cars.length));
    if (car.laps.length > kept) car.laps[car.laps.length - kept - 1]!.trace = new Trace();
    car.trace = new Trace();
    car.offence = null;
    const best = clean && (!former || lap.ticks < former.ticks);
    this.events.push({ type: 'lap', car: car.number, lap, best });
    if (this.targetLaps > 0 && car.laps.length >= this.targetLaps) this.noteFinish(car);
  }

  private noteFinish(car: RaceCar): void {
    car.finishTick = this.tick;
    this.finishWait ??= (this.contact ? FIELD_WAIT_TICKS : FINISH_WAIT_TICKS) + 1;
    if (car === this.human) this.finishWait = Math.min(this.finishWait, FINISH_WAIT_TICKS + 1);
    this.events.push({ type: 'finish', car: car.number });
  }

  /** Put a stuck car back. The person's car is watched by the controller, which also names the phase. */
  private watchOver(car: RaceCar): void {
    if (car === this.human) return;
    if (advanceStuckWatch(car.watch, this.healthOf(car))) this.respawn(car);
  }

  /** How a machine gets on; a recorded drive is put back where it was put back then, and nowhere else. */
  private healthOf(car: RaceCar): CarHealth {
    if (car.entrant.kind !== 'replay')
      return { speed: car.now.speed, gaining: car.ground.gaining, atWall: this.touchesWall(car) };
    const putBack = car.entrant.respawns?.includes(car.drivenTicks) ?? false;
    return { speed: Number.POSITIVE_INFINITY, putBack };
  }

  private touchesWall(car: RaceCar): boolean {
    const { wall_contact, collided } = this.fleet.outputs;
    return wall_contact![car.number] === 1 || collided![car.number] === 1;
  }

  private respawn(car: RaceCar): void {
    this.fleet.respawn(car.number, car.entrant.layout);
    car.tape.markRespawn();
    this.afterRespawn(car);
  }

  private afterRespawn(car: RaceCar): void {
    car.offence ??= { kind: 'respawn', arc: this.fleet.state.arc_u![car.number]! };
    readPose(this.fleet, car);
    Object.assign(car.before, car.now);
    car.ground.furthest = distanceOf(this.fleet, car);
    car.ground.putBackTick = this.tick;
    this.events.push({ type: 'respawn', car: car.number });
  }

  /** How the person's car is doing. Alone, its last lap ends the race; with rivals, `countDownToTheEnd` does. */
  private humanSignals() {
    const human = this.human;
    if (!human) return { speed: Number.POSITIVE_INFINITY, timing: null };
    const health: CarHealth =
      human.finishTick === null && !this.contact
        ? { speed: human.now.speed, gaining: human.ground.gaining, atWall: this.touchesWall(human) }
        : { speed: Number.POSITIVE_INFINITY, putBack: false };
    const { state, outputs } = this.fleet;
    const lapComplete = this.cars.length === 1 && outputs.lap_complete![human.number] === 1;
    return { ...health, timing: { lapComplete, currentLap: state.lap![human.number]! } };
  }

  /** What the controller decided about the person's car. */
  private followHuman(outcome: Outcome): void {
    if (!this.human) return;
    this.human.watch.respawnTicksLeft = this.controller.respawnTicksLeft;
    if (outcome === 'respawn') this.respawn(this.human);
  }

  /** After the first finisher machines have five seconds; a person finishes, as long as they gain ground. */
  private countDownToTheEnd(): void {
    if (this.finishWait === null) return;
    this.finishWait -= 1;
    const left = this.cars.filter((car) => car.finishTick === null && !car.gaveUp);
    if (this.finishWait > 0 && (left.length > 0 || this.cars.length === 1)) return;
    for (const car of left) car.gaveUp = car !== this.human || !this.personGoesOn(car);
    if (left.every((car) => car.gaveUp)) this.end();
  }

  private personGoesOn(person: RaceCar): boolean {
    return this.tick - person.ground.recordTick < PATIENCE_TICKS;
  }

  private aheadness(a: RaceCar, b: RaceCar): number {
    const place = this.contact?.contenders.place;
    if (place) return place[a.number]! - place[b.number]!;
    const ticks = (a.finishTick ?? Number.MAX_SAFE_INTEGER) - (b.finishTick ?? Number.MAX_SAFE_INTEGER);
    if (ticks !== 0) return ticks;
    if (a.finishTick !== null) return Number(b === this.human) - Number(a === this.human);
    if (a.splits.length !== b.splits.length) return b.splits.length - a.splits.length;
    return arcSinceGate(this.fleet, b) - arcSinceGate(this.fleet, a);
  }
}
