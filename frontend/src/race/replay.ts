/** A race driven once more from its recording: at any speed, forwards and to any moment. */
import { TICKS_PER_SECOND } from '../physics/numbers';
import type { Moment } from './moments';
import { emptyPose, type Pose } from './poses';
import type { Race } from './race';
import type { Entrant } from './race-car';
import { EVERY_TICKS, type Recording } from './recording';

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4] as const;

export interface ReplayCar {
  readonly number: number;
  readonly entrant: Entrant;
  readonly before: Pose;
  readonly now: Pose;
}

export class Replay {
  readonly live = false;
  readonly driving = true;
  readonly cars: ReplayCar[];
  playing = true;
  speed = 1;
  /** Ticks since the start, between two of them too. */
  private position: number;

  constructor(
    readonly race: Race,
    private readonly recording: Recording,
    readonly moments: Moment[],
  ) {
    this.cars = race.cars.map(({ number, entrant }) => ({
      ...{ number, entrant, before: emptyPose(), now: emptyPose() },
    }));
    this.position = recording.first;
    this.show();
  }

  get fleet() {
    return this.race.fleet;
  }

  get contact() {
    return this.race.contact;
  }

  get ghost() {
    return this.race.ghost;
  }

  get first(): number {
    return this.recording.first;
  }

  get last(): number {
    return this.recording.last;
  }

  get tick(): number {
    return Math.floor(this.position);
  }

  /** How far it is from one kept tick to the next. */
  get share(): number {
    return (this.position - this.keptTick) / EVERY_TICKS;
  }

  private get keptTick(): number {
    return EVERY_TICKS * Math.floor(this.position / EVERY_TICKS);
  }

  /** Let time pass; how many ticks were begun by it. At the end it stops. */
  advance(seconds: number): number {
    if (!this.playing) return 0;
    const before = this.tick;
    this.position = Math.min(this.last, this.position + seconds * this.speed * TICKS_PER_SECOND);
    if (this.position >= this.last) this.playing = false;
    this.show();
    return this.tick - before;
  }

  seek(tick: number): void {
    this.position = Math.max(this.first, Math.min(this.last, tick));
    this.show();
  }

  /** The reference lap beside the person, as it was. */
  ghostPose(): Pose | null {
    const { ghost, human } = this.race;
    if (!ghost || !human) return null;
    let began = 0;
    for (const { ticks } of human.laps) if (began + ticks <= this.position) began += ticks;
    return human.finishTick !== null && this.position >= human.finishTick
      ? null
      : ghost.at(this.position - began);
  }

  private show(): void {
    for (const { number, before, now } of this.cars) {
      this.recording.read(this.keptTick, number, before);
      this.recording.read(this.keptTick + EVERY_TICKS, number, now);
    }
  }
}
