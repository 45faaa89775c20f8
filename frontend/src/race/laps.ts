/** One lap of one car: its time, whether it counts, and what it looked like tick by tick. */

/** Where along the lap the car was and how fast, one entry per tick. */
export class Trace {
  readonly arc: number[] = [];
  readonly speed: number[] = [];
  readonly x: number[] = [];
  readonly y: number[] = [];

  get ticks(): number {
    return this.arc.length;
  }

  add(arc: number, speed: number, x: number, y: number): void {
    this.arc.push(arc);
    this.speed.push(speed);
    this.x.push(x);
    this.y.push(y);
  }
}

/** What first made a lap not count. */
export interface Offence {
  kind: 'road' | 'wall' | 'respawn';
  arc: number;
}

export interface Lap {
  number: number;
  ticks: number;
  clean: boolean;
  offence: Offence | null;
  trace: Trace;
}

/** The fastest lap that counts for a medal: clean, and begun at speed. */
export function bestFlyingLap(laps: Lap[]): Lap | null {
  return bestLap(
    laps.filter((lap) => lap.number > 1),
    true,
  );
}

export function bestLap(laps: Lap[], cleanOnly: boolean): Lap | null {
  let best: Lap | null = null;
  for (const lap of laps) if ((lap.clean || !cleanOnly) && (!best || lap.ticks < best.ticks)) best = lap;
  return best;
}
