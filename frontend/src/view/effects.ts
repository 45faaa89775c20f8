/** Skid marks, dust and sparks as plain numbers; the scene draws them. */

import { ROAD } from '../physics/numbers';
import type { Pose } from '../race/poses';
import { COLOURS } from './palette';

export const MOST_SKIDS = 700;
export const MOST_BITS = 260;
const REAR_AXLE_U = -2;
const HALF_TRACK_U = 1.15;
/** Tyres that slide more than this smoke. */
const SMOKES_FROM = 0.45;

export interface Skid {
  x: number;
  y: number;
  angle: number;
  length: number;
  strength: number;
}

export interface Bit {
  x: number;
  y: number;
  vx: number;
  vy: number;
  /** Seconds left, and seconds it had. */
  life: number;
  span: number;
  size: number;
  grows: number;
  colour: number;
}

/** What a wheel throws up: its share of the car's speed, how it spreads, and the bit it becomes. */
interface Puff extends Omit<Bit, 'x' | 'y' | 'vx' | 'vy'> {
  drift: number;
  spread: number;
}

type Wheels = { lx: number; ly: number; rx: number; ry: number } | null;

export class Effects {
  readonly skids: Skid[] = [];
  readonly bits: Bit[] = [];
  /** Where in `skids` the next mark goes; counts on for ever, so that the scene sees what is new. */
  skidCount = 0;
  calm = false;
  private wheels: Wheels[] = [];
  private dustDue = 0;
  private smokeDue = 0;

  clear(): void {
    this.skids.length = 0;
    this.bits.length = 0;
    this.skidCount = 0;
    this.wheels = [];
  }

  /** A tick of one car: leave rubber where it slides, dust where it is off the road. */
  mark(car: number, pose: Pose): void {
    const slides = pose.slide > 0;
    const cos = Math.cos(pose.heading);
    const sin = Math.sin(pose.heading);
    const x = pose.x + cos * REAR_AXLE_U;
    const y = pose.y + sin * REAR_AXLE_U;
    const wheels = {
      lx: x - sin * HALF_TRACK_U,
      ly: y + cos * HALF_TRACK_U,
      rx: x + sin * HALF_TRACK_U,
      ry: y - cos * HALF_TRACK_U,
    };
    const last = this.wheels[car];
    if (slides && last && pose.surface === ROAD) {
      this.skid(last.lx, last.ly, wheels.lx, wheels.ly, pose.slide);
      this.skid(last.rx, last.ry, wheels.rx, wheels.ry, pose.slide);
    }
    this.wheels[car] = slides ? wheels : null;
    if (pose.slide > SMOKES_FROM && pose.surface === ROAD) this.smoke(x, y, pose);
    if (pose.surface !== ROAD && pose.speed > 15) this.dust(x, y, pose);
  }

  /** A shower of sparks where a car met the wall. */
  sparks(x: number, y: number, speed: number): void {
    if (this.calm) return;
    const count = Math.min(22, 5 + Math.round(speed / 7));
    for (let i = 0; i < count; i++) {
      const way = Math.random() * 2 * Math.PI;
      const pace = 12 + Math.random() * (10 + speed * 0.4);
      this.add({
        x,
        y,
        vx: Math.cos(way) * pace,
        vy: Math.sin(way) * pace,
        life: 0.2 + Math.random() * 0.35,
        span: 0.5,
        size: 0.7,
        grows: -0.8,
        colour: COLOURS.spark,
      });
    }
  }

  /** Let bits fly on; gone ones are replaced by the last. */
  fly(seconds: number): void {
    const drag = Math.exp(-2.2 * seconds);
    for (let i = this.bits.length - 1; i >= 0; i--) {
      const bit = this.bits[i]!;
      bit.life -= seconds;
      if (bit.life <= 0) {
        const last = this.bits.pop()!;
        if (last !== bit) this.bits[i] = last;
        continue;
      }
      bit.x += bit.vx * seconds;
      bit.y += bit.vy * seconds;
      bit.vx *= drag;
      bit.vy *= drag;
      bit.size = Math.max(0.1, bit.size + bit.grows * seconds);
    }
  }

  private skid(x: number, y: number, toX: number, toY: number, strength: number): void {
    const length = Math.hypot(toX - x, toY - y);
    if (length > 8) return;
    this.skids[this.skidCount % MOST_SKIDS] = { x, y, angle: Math.atan2(toY - y, toX - x), length, strength };
    this.skidCount += 1;
  }

  private dust(x: number, y: number, pose: Pose): void {
    this.dustDue += this.calm ? 0.1 : 0.55;
    if (this.dustDue < 1) return;
    this.dustDue -= 1;
    this.puff(x, y, pose, {
      drift: 0.15,
      spread: 8,
      life: 0.9,
      span: 0.9,
      size: 1.6,
      grows: 5,
      colour: COLOURS.dust,
    });
  }

  /** The more the tyres slide, the thicker. */
  private smoke(x: number, y: number, pose: Pose): void {
    this.smokeDue += (this.calm ? 0.1 : 0.5) * pose.slide;
    if (this.smokeDue < 1) return;
    this.smokeDue -= 1;
    const smoke = {
      drift: 0.12,
      spread: 3,
      life: 0.7,
      span: 1.1,
      size: 1.1,
      grows: 4.5,
      colour: COLOURS.smoke,
    };
    this.puff(x, y, pose, smoke);
  }

  /** A bit near a wheel that drifts with a share of the car's speed and spreads. */
  private puff(x: number, y: number, pose: Pose, { drift, spread, ...bit }: Puff): void {
    this.add({
      ...bit,
      x: x + (Math.random() - 0.5) * 2,
      y: y + (Math.random() - 0.5) * 2,
      vx: pose.vx * drift + (Math.random() - 0.5) * spread,
      vy: pose.vy * drift + (Math.random() - 0.5) * spread,
    });
  }

  private add(bit: Bit): void {
    if (this.bits.length < MOST_BITS) this.bits.push(bit);
  }
}
