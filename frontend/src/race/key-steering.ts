/** Keys as a wheel: they turn it over time, slower the faster the car, so that a tap is a small correction. */
import type { TrackFile } from '../site/data';
import { type Pose, wrapped } from './poses';

/** How far the wheel turns in a second, at rest and at top speed; letting go brings it back faster. */
const TURN_AT_REST = 12;
const TURN_AT_TOP = 3.5;
const RETURN = 8;
const HELP_AHEAD_U = 30;
const HELP_AHEAD_S = 0.55;
const HELP_LEAST_AHEAD_M = 9;
const HELP_GAIN = 1.6;

export interface KeySteeringChoices {
  /** 1 is usual; 2 turns the wheel twice as fast. */
  sensitivity: number;
  /** How far keys turn the wheel now, as a share of all it can turn. */
  reach?: number;
}

export class KeySteering {
  private wheel = 0;

  /** The wheel after one tick: `keys` is -1 for left, 1 for right; `pace` the share of the top speed. */
  advance(keys: number, pace: number, seconds: number, choices: KeySteeringChoices): number {
    const { sensitivity, reach = 1 } = choices;
    const turn = (TURN_AT_REST + (TURN_AT_TOP - TURN_AT_REST) * Math.min(1, pace)) * sensitivity;
    // Against the wheel, it first comes back as fast as when it is let go.
    const returning = keys === 0 || Math.sign(this.wheel) === -keys;
    const step = (returning ? Math.max(RETURN, turn) : turn) * seconds;
    this.wheel = towards(this.wheel, keys * reach, step * reach);
    return this.wheel;
  }

  reset(): void {
    this.wheel = 0;
  }
}

function towards(value: number, target: number, step: number): number {
  return value < target ? Math.min(target, value + step) : Math.max(target, value - step);
}

/** Steering that follows the road when the player's hands are off the wheel: towards the centre line ahead. */
export function roadSteer({ x, y, heading, speed }: Pose, arc: number, track: TrackFile): number {
  const { centre } = track.lines;
  const spacing = track.length_u / centre.length;
  const ahead = track.true_scale ? HELP_LEAST_AHEAD_M + HELP_AHEAD_S * speed : HELP_AHEAD_U;
  const [aheadX, aheadY] = centre[Math.round((arc + ahead) / spacing) % centre.length]!;
  const off = wrapped(Math.atan2(aheadY - y, aheadX - x) - heading);
  return Math.max(-1, Math.min(1, -HELP_GAIN * off));
}
