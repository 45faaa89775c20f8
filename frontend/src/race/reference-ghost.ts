/** The reference lap driven along with the player: where it is at a tick of the lap, and where it brakes. */
import { TICKS_PER_SECOND } from '../physics/numbers';
import type { Reference } from '../site/data';
import { emptyPose, type Pose, wrapped } from './poses';

/** Braking harder than this counts, in units per second in each second. */
const BRAKES = 4;
/** A braking zone takes off at least so much speed. */
const LEAST_LOSS = 6;

export class ReferenceGhost {
  private readonly pose = emptyPose();

  constructor(private readonly lap: Reference) {}

  /** The ghost at a tick of the lap, between two ticks too; null once it is round. */
  at(tick: number): Pose | null {
    const { x_u, y_u, speed_ups, every_ticks } = this.lap;
    const place = tick / every_ticks;
    const i = Math.floor(place);
    if (i + 1 >= x_u.length) return null;
    const share = place - i;
    const heading = this.heading(i);
    this.pose.x = x_u[i]! + (x_u[i + 1]! - x_u[i]!) * share;
    this.pose.y = y_u[i]! + (y_u[i + 1]! - y_u[i]!) * share;
    this.pose.heading = heading + wrapped(this.heading(Math.min(i + 1, x_u.length - 2)) - heading) * share;
    this.pose.speed = speed_ups[i]!;
    this.pose.brake = this.braking(i) ? 1 : 0;
    return this.pose;
  }

  private heading(i: number): number {
    const { x_u, y_u } = this.lap;
    return Math.atan2(y_u[i + 1]! - y_u[i]!, x_u[i + 1]! - x_u[i]!);
  }

  private braking(i: number): boolean {
    return isBraking(this.lap, i);
  }
}

function isBraking({ speed_ups, every_ticks }: Reference, i: number): boolean {
  const loss = speed_ups[i]! - (speed_ups[i + 1] ?? speed_ups[i]!);
  return (loss * TICKS_PER_SECOND) / every_ticks > BRAKES;
}

/** Where the reference begins to brake, as places of its lap. */
export function brakingPoints(lap: Reference): number[] {
  const found: number[] = [];
  for (let i = 0; i < lap.speed_ups.length; i++) {
    if (!isBraking(lap, i)) continue;
    let end = i;
    while (end < lap.speed_ups.length && isBraking(lap, end)) end += 1;
    const after = lap.speed_ups[Math.min(end, lap.speed_ups.length - 1)]!;
    if (lap.speed_ups[i]! - after > LEAST_LOSS) found.push(i);
    i = end;
  }
  return found;
}
