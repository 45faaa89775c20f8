/** How much the tyres of a car slide: what its rubber leaves on the road, and what is heard of it. */
import type { Fleet } from '../physics/fleet';

const CLASSIC_SLIP_RAD = 0.075;
const CLASSIC_BRAKE = 0.85;
const CLASSIC_SPEED_UPS = 45;
const GRIP_SPEED_MPS = 6;
/** From here on an axle that is asked for so much of its grip begins to be heard. */
const GRIP_USED = 0.96;
const GRIP_SLIP_RAD = 0.1;
const GRIP_SLIP_RANGE_RAD = 0.15;

/** 0 for tyres that roll, 1 for a full slide. */
export function slideOf(fleet: Fleet, car: number): number {
  return fleet.car.number === null ? classicSlide(fleet, car) : gripSlide(fleet, car);
}

function classicSlide({ state }: Fleet, car: number): number {
  const slip = state.slip_rad![car]!;
  const slides = slip > CLASSIC_SLIP_RAD || state.brake![car]! > CLASSIC_BRAKE;
  return slides && state.speed_ups![car]! > CLASSIC_SPEED_UPS ? Math.min(1, 0.3 + 3 * slip) : 0;
}

function gripSlide({ state, grip }: Fleet, car: number): number {
  if (state.speed_ups![car]! < GRIP_SPEED_MPS) return 0;
  const used = Math.max(grip.grip_used_front![car]!, grip.grip_used_rear![car]!);
  const asked = Math.max(0, Math.min(1, (used - GRIP_USED) / (1 - GRIP_USED)));
  const sideways = Math.max(0, Math.min(1, (state.slip_rad![car]! - GRIP_SLIP_RAD) / GRIP_SLIP_RANGE_RAD));
  return Math.max(0.5 * asked, sideways);
}
