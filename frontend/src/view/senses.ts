/** What a driver sees, as points to draw: rays to the walls or spots of the road ahead, and the cars around it. */

import type { Fleet } from '../physics/fleet';
import {
  GRIP_LOOKAHEADS_M,
  LOOKAHEADS_U,
  NUMBERS_OF_A_CAR,
  RAY_RANGE_U,
  RAYS,
  SEEN_CARS,
  SIGHT_U,
} from '../physics/numbers';
import type { Pose } from '../race/poses';
import type { Entrant } from '../race/race-car';
import { aloneLayout, isRaceLayout, type LayoutName, type Point, type TrackFile } from '../site/data';

/** How much of a second of travel the line of the front wheels is long. */
const INTENT_S = 0.5;

export interface Senses {
  pose: Pose;
  /** Ends of rays from the car. */
  rays: Point[];
  /** Lines over the road, from edge to edge, where the driver looks at it. */
  bars: [Point, Point][];
  /** The cars it sees. */
  others: Point[];
  /** Where the front wheels point. */
  intent: Point;
}

export function sensesOf(
  { fleet }: { fleet: Fleet },
  car: { number: number; entrant: Entrant },
  poses: Pose[],
): Senses {
  const pose = poses[car.number]!;
  const layout = aloneLayout(car.entrant.layout);
  const ahead = spots(layout);
  const arc = fleet.state.arc_u![car.number]!;
  return {
    pose,
    rays: layout === 'classic' ? raysOf(fleet.observation(car.number, layout), pose) : [],
    bars: ahead.map((distance) => acrossRoad(fleet.track.file, arc + distance)),
    others: othersOf(fleet, car).map((number): Point => [poses[number]!.x, poses[number]!.y]),
    intent: intentOf(pose),
  };
}

function spots(layout: LayoutName): number[] {
  if (layout === 'classic') return [];
  return layout === 'full' ? LOOKAHEADS_U : GRIP_LOOKAHEADS_M;
}

function raysOf(seen: Float64Array, pose: Pose): Point[] {
  return Array.from({ length: RAYS }, (_, i): Point => {
    const angle = pose.heading - Math.PI / 2 + (i * Math.PI) / (RAYS - 1);
    const reach = seen[i]! * RAY_RANGE_U;
    return [pose.x + Math.cos(angle) * reach, pose.y + Math.sin(angle) * reach];
  });
}

/** Both edges of the road at a distance along the lap. */
export function acrossRoad({ lines, length_u }: TrackFile, arc: number): [Point, Point] {
  const count = lines.centre.length;
  const place = ((((arc / length_u) % 1) + 1) % 1) * count;
  const i = Math.min(Math.floor(place), count - 1);
  const between = ([ax, ay]: Point, [bx, by]: Point): Point => [
    ax + (bx - ax) * (place - i),
    ay + (by - ay) * (place - i),
  ];
  const { inner_road_edge: inner, outer_road_edge: outer } = lines;
  return [between(inner[i]!, inner[i + 1]!), between(outer[i]!, outer[i + 1]!)];
}

/** The numbers of the cars that a driver in a race sees: its observation has how far along the lap each of them is. */
export function othersOf(fleet: Fleet, { number, entrant }: { number: number; entrant: Entrant }): number[] {
  if (!isRaceLayout(entrant.layout)) return [];
  const seen = fleet.observation(number, entrant.layout);
  const first = seen.length - SEEN_CARS * NUMBERS_OF_A_CAR;
  const gaps = Array.from({ length: SEEN_CARS }, (_, slot) => seen[first + slot * NUMBERS_OF_A_CAR]!);
  const [arcs, lap] = [fleet.state.arc_u!, fleet.track.file.length_u];
  const others = Array.from({ length: fleet.cars }, (_, car) => car).filter((car) => car !== number);
  const away = (gap: number, car: number) => {
    const apart = arcs[car]! - arcs[number]! - gap * SIGHT_U;
    return Math.abs(apart - lap * Math.round(apart / lap));
  };
  const nearest = (gap: number) =>
    others.reduce((best, car) => (away(gap, car) < away(gap, best) ? car : best));
  // Places with nobody read as the farthest that is seen.
  return [...new Set(gaps.filter((gap) => Math.abs(gap) < 1).map(nearest))];
}

function intentOf(pose: Pose): Point {
  const angle = pose.heading + pose.frontAngle;
  const reach = Math.max(6, pose.speed * INTENT_S);
  return [pose.x + Math.cos(angle) * reach, pose.y + Math.sin(angle) * reach];
}
