/** Numbers of the worlds that the pages are built with, as `hotlap export wasm --package` wrote them. */
import numbers from '../../../src/hotlap/export/data/numbers.json';

export const TICKS_PER_SECOND = numbers.ticks_per_second;
export const GATES = numbers.gates;
export const ROAD = numbers.road;
export const TOP_SPEED_UPS = numbers.top_speed_ups;
/** What the fastest car with grip reaches. */
export const GRIP_TOP_MPS = numbers.grip_top_mps;
export const GRAVITY_MPS2 = numbers.gravity_mps2;
export const KMH_PER_MPS = numbers.kmh_per_mps;
/** Metres per second in a mile per hour. */
export const MPH_MPS = numbers.mph_mps;
export const FOOT_M = numbers.foot_m;
/** On the highway a car is said to stand below this speed, and an order says so where it leaves a number open. */
export const STILL_MPS = numbers.still_mps;
export const UNSAID = numbers.unsaid;
export const RAYS = numbers.rays;
export const RAY_RANGE_U = numbers.ray_range_u;
/** Distances along the road at which drivers look at it: of the full layout, and of cars with grip. */
export const LOOKAHEADS_U = numbers.lookaheads_u;
export const GRIP_LOOKAHEADS_M = numbers.grip_lookaheads_m;
/** How many others a driver in a race sees, so many numbers of each, and how far along the lap. */
export const SEEN_CARS = numbers.seen_cars;
export const NUMBERS_OF_A_CAR = numbers.numbers_of_a_car;
export const SIGHT_U = numbers.sight_u;
/** A slot on the grid that the seed decides, and who it was where nobody was touched. */
export const DRAWN_SLOT = numbers.drawn_slot;
export const NOBODY = numbers.nobody;
/** What the recording of a drive may hold. */
export const TAPE = numbers.tape;
/** The largest network that a page runs itself. */
export const NETWORK = numbers.network;
export const LONGEST_DRIVER = numbers.longest_driver;
/** Missions that the server tells of at once. */
export const MOST_LISTED = numbers.most_listed;
/** What the live channel closes with where no training runs. */
export const NO_RUN = numbers.no_run;
export type ModeName = keyof typeof numbers.modes;
export const VEHICLE_KINDS = numbers.vehicle_kinds;
