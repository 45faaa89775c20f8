/** The cars there are: the classic one in game units, and cars with grip in metres. */
import type { LayoutName } from '../site/data';
import { GRAVITY_MPS2, GRIP_TOP_MPS, KMH_PER_MPS, TOP_SPEED_UPS } from './numbers';

export const CLASSIC = 'classic';
const SLOWEST_MPS = 4;
/** Keys leave a little of what the tyres can do, or the smallest bump would end in a slide. */
const SHARE_OF_GRIP = 0.85;

export interface GripFacts {
  fingerprint: string;
  physics: Record<string, number>;
  layouts: LayoutName[];
  cars: { id: string; name: string; fingerprint: string }[];
  /** A column for each number of a car. */
  car_table: Record<string, number[]>;
}

export interface Assists {
  traction: boolean;
  antiLock: boolean;
}

export const NO_ASSISTS: Assists = { traction: false, antiLock: false };

export interface Car {
  id: string;
  name: string;
  /** Its place in the table of cars with grip; null is the classic car. */
  number: number | null;
  /** What its drivers may see; people have the first. */
  layouts: LayoutName[];
  /** Speed to a full bar, in units of its world. */
  topSpeed: number;
  speedUnit: string;
  distanceUnit: string;
  /** What turns a speed of its world into `speedUnit`. */
  speedFactor: number;
  /** How far keys turn the wheel at a speed, as a share of all it can turn. */
  keyReach(speed: number): number;
}

const CLASSIC_CAR: Car = {
  id: CLASSIC,
  name: 'Classic',
  number: null,
  layouts: ['classic', 'full'],
  topSpeed: TOP_SPEED_UPS,
  speedUnit: 'u/s',
  distanceUnit: 'u',
  speedFactor: 1,
  keyReach: () => 1,
};

export function carsOf(grip: GripFacts): Car[] {
  return [CLASSIC_CAR, ...grip.cars.map((_, number) => gripCar(grip, number))];
}

function gripCar(grip: GripFacts, number: number): Car {
  const { id, name } = grip.cars[number]!;
  return {
    id,
    name,
    number,
    layouts: grip.layouts,
    topSpeed: GRIP_TOP_MPS,
    speedUnit: 'km/h',
    distanceUnit: 'm',
    speedFactor: KMH_PER_MPS,
    keyReach: reachOf((key) => grip.car_table[key]![number]!),
  };
}

/** The angle that the tightest bend at a speed takes, and the slip at which the tyres hold most. */
function reachOf(numberOf: (key: string) => number): (speed: number) => number {
  const wheelbase = numberOf('front_axle_m') + numberOf('rear_axle_m');
  const sideways = numberOf('friction') * GRAVITY_MPS2;
  const bestSlip = Math.tan(Math.PI / (2 * numberOf('shape_factor'))) / numberOf('stiffness_factor');
  const most = numberOf('max_wheel_angle_rad');
  return (speed) => {
    const bend = sideways / Math.max(speed, SLOWEST_MPS) ** 2;
    return Math.min(1, (SHARE_OF_GRIP * (wheelbase * bend + bestSlip)) / most);
  };
}
