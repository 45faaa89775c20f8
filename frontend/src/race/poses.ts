/** A car as it is drawn: between two ticks. */
export interface Pose {
  x: number;
  y: number;
  heading: number;
  vx: number;
  vy: number;
  speed: number;
  frontAngle: number;
  slip: number;
  /** How much the tyres slide, 0 to 1: what is seen as rubber and heard. */
  slide: number;
  throttle: number;
  brake: number;
  /** 0 road, 1 runoff, 2 shoulder. */
  surface: number;
  /** Whether there is nothing to see: it finished or retired, and left the road. */
  gone: boolean;
}

export function blendPose(out: Pose, from: Pose, to: Pose, share: number): Pose {
  const mix = (a: number, b: number) => a + (b - a) * share;
  out.x = mix(from.x, to.x);
  out.y = mix(from.y, to.y);
  out.heading = from.heading + wrapped(to.heading - from.heading) * share;
  out.vx = mix(from.vx, to.vx);
  out.vy = mix(from.vy, to.vy);
  out.speed = mix(from.speed, to.speed);
  out.frontAngle = mix(from.frontAngle, to.frontAngle);
  out.slip = to.slip;
  out.slide = to.slide;
  out.throttle = to.throttle;
  out.brake = to.brake;
  out.surface = to.surface;
  out.gone = to.gone;
  return out;
}

export function emptyPose(): Pose {
  return {
    x: 0,
    y: 0,
    heading: 0,
    vx: 0,
    vy: 0,
    speed: 0,
    frontAngle: 0,
    slip: 0,
    slide: 0,
    throttle: 0,
    brake: 0,
    surface: 0,
    gone: false,
  };
}

/** The same angle between -π and π. */
export function wrapped(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
