/** What is to be seen of a road at one moment, apart from the memory of the physics, and moments between two. */
import type { Road } from './road';

export interface SeenVehicle {
  x_m: number;
  /** Place across the road, in lanes from the leftmost. */
  across: number;
  heading_rad: number;
  speed_mps: number;
  accel_mps2: number;
  length_m: number;
  width_m: number;
  kind: number;
  /** -1 or 1 while it moves over to the left or right. */
  turning: number;
}

export interface Moment {
  /** The ego first; null is a vehicle that waits for room. */
  vehicles: (SeenVehicle | null)[];
  /** Which vehicle is next ahead of the ego in its lane, and the gap; null on a free road. */
  leader: { vehicle: number; gap_m: number } | null;
  missionLane: number;
  /** The vehicle that is to be overtaken, or -1. */
  missionVehicle: number;
}

const SIGHT_M = 150;
/** Nobody drives so far in a decision of 0.2 s: it left the road, and another came in its place. */
const JUMP_M = 10;

export function momentOf(road: Road): Moment {
  const column = (name: string) => road.column('vehicles', name);
  const { across, heading_rad } = road.groups.poses!;
  const lanes = column('lane');
  const targets = column('target_lane');
  const vehicles = Array.from(lanes, (lane, i): SeenVehicle | null =>
    lane < 0
      ? null
      : {
          x_m: column('x_m')[i]!,
          across: across![i]!,
          heading_rad: heading_rad![i]!,
          speed_mps: column('speed_mps')[i]!,
          accel_mps2: column('accel_mps2')[i]!,
          length_m: column('length_m')[i]!,
          width_m: column('width_m')[i]!,
          kind: column('kind')[i]!,
          turning: Math.sign(targets[i]! - lane),
        },
  );
  return {
    vehicles,
    leader: leaderOf(road, vehicles),
    missionLane: road.value('roads', 'mission_lane'),
    missionVehicle: road.value('roads', 'mission_vehicle'),
  };
}

/** The vehicle the world's own gap is measured to. */
function leaderOf(road: Road, vehicles: (SeenVehicle | null)[]): Moment['leader'] {
  const gap_m = road.value('outputs', 'gap_ahead_m');
  const ego = vehicles[0];
  if (!ego || gap_m > SIGHT_M) return null;
  const bumper = (other: SeenVehicle) => other.x_m - ego.x_m - (other.length_m + ego.length_m) / 2;
  const vehicle = vehicles.findIndex((other, i) => i > 0 && other && Math.abs(bumper(other) - gap_m) < 1e-6);
  return vehicle < 0 ? null : { vehicle, gap_m };
}

/** A moment between two, `share` of the way from the first to the second. */
export function between(before: Moment, after: Moment, share: number): Moment {
  const vehicles = after.vehicles.map((now, i) => {
    const was = before.vehicles[i];
    if (!now || !was || Math.abs(now.x_m - was.x_m) > JUMP_M) return now;
    const mix = (a: number, b: number) => a + (b - a) * share;
    return {
      ...now,
      x_m: mix(was.x_m, now.x_m),
      across: mix(was.across, now.across),
      heading_rad: mix(was.heading_rad, now.heading_rad),
      speed_mps: mix(was.speed_mps, now.speed_mps),
    };
  });
  return { ...after, vehicles };
}
