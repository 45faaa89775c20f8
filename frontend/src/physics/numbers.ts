/** Numbers of the worlds that the pages are built with, as `hotlap export wasm --package` wrote them. */
import numbers from '../../../src/hotlap/export/data/numbers.json';

export const TICKS_PER_SECOND = numbers.ticks_per_second;
export const GATES = numbers.gates;
export const ROAD = numbers.road;
export const TOP_SPEED_UPS = numbers.top_speed_ups;
export const GRAVITY_MPS2 = numbers.gravity_mps2;
export const KMH_PER_MPS = numbers.kmh_per_mps;
/** Metres per second in a mile per hour. */
export const MPH_MPS = numbers.mph_mps;
export const RAYS = numbers.rays;
export const RAY_RANGE_U = numbers.ray_range_u;
/** Distances along the road at which drivers look at it: of the full layout, and of cars with grip. */
export const LOOKAHEADS_U = numbers.lookaheads_u;
export const GRIP_LOOKAHEADS_M = numbers.grip_lookaheads_m;
/** How many others a driver in a race sees, so many numbers of each, and how far along the lap. */
export const SEEN_CARS = numbers.seen_cars;
export const NUMBERS_OF_A_CAR = numbers.numbers_of_a_car;
export const SIGHT_U = numbers.sight_u;
/** What the recording of a drive may hold. */
export const TAPE = numbers.tape;
/** The largest network that a page runs itself. */
export const NETWORK = numbers.network;
export const LONGEST_DRIVER = numbers.longest_driver;
export type ModeName = keyof typeof numbers.modes;
export const VEHICLE_KINDS = numbers.vehicle_kinds;
