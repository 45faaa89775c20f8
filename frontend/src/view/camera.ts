/** Where the picture looks: it follows a car with a little lag, looks ahead, and stands back at speed. */
import { GRIP_TOP_MPS, TOP_SPEED_UPS } from '../physics/numbers';
import { type Pose, wrapped } from '../race/poses';

export interface View {
  x: number;
  y: number;
  /** How many units the shorter side of the screen shows. */
  extent: number;
  /** Counter-clockwise turn of the world's up against the screen's. */
  turn: number;
}

/** How much is seen, standing and at top speed, and how far ahead. */
export interface Lens {
  slow: number;
  fast: number;
  topSpeed: number;
  lookAheadS: number;
}

export const CLASSIC_LENS: Lens = { slow: 130, fast: 215, topSpeed: TOP_SPEED_UPS, lookAheadS: 0.34 };
/** In metres; a car with grip must see where to brake. */
const GRIP_LENS: Lens = { slow: 80, fast: 210, topSpeed: GRIP_TOP_MPS, lookAheadS: 0.8 };
/** Where cars touch they are drawn as large as they are, so the picture stands nearer. */
const NEARER = 0.68;
const MOST_AHEAD = 0.5;
const FOLLOW_PER_S = 7;
const ZOOM_PER_S = 1.6;
const TURN_PER_S = 3.2;
/** How far a jolt throws the picture, in shares of what is seen for each unit per second, at most, and how it fades. */
const THROW = 0.0016;
const MOST_THROW = 0.03;
const FADES_PER_S = 6;
/** How far the picture trembles at top speed, in shares of what is seen, and how fast. */
const TREMBLE = 0.0022;
const TREMBLES_PER_S = [61, 47] as const;

export function lensFor(grip: boolean, contact: boolean): Lens {
  const lens = grip ? GRIP_LENS : CLASSIC_LENS;
  return contact ? { ...lens, slow: NEARER * lens.slow, fast: NEARER * lens.fast } : lens;
}

export class Camera {
  lens = CLASSIC_LENS;
  readonly view: View = { x: 0, y: 0, extent: CLASSIC_LENS.slow, turn: 0 };
  rotates = false;
  calm = false;
  /** Half of what the screen shows, in units: the car must not be pushed off it. */
  halfWidth = 100;
  halfHeight = 60;
  private seconds = 0;
  private jolt = 0;

  /** Stand where the car is, at once. */
  jump(car: Pose): void {
    const [aheadX, aheadY] = this.lookAhead(car);
    this.view.x = car.x + aheadX;
    this.view.y = car.y + aheadY;
    this.view.extent = this.wantedExtent(car);
    this.view.turn = this.wantedTurn(car);
  }

  /** Move towards where the camera wants to be; the same in any frame rate. */
  follow(car: Pose, seconds: number): void {
    const near = Math.hypot(car.x - this.view.x, car.y - this.view.y);
    if (near > 4 * this.view.extent) {
      this.jump(car);
      return;
    }
    const share = (rate: number) => 1 - Math.exp(-rate * seconds);
    const [aheadX, aheadY] = this.lookAhead(car);
    // The target runs with the car, so that lag shows in bends and not as a constant distance.
    this.view.x += car.vx * seconds + (car.x + aheadX - this.view.x) * share(FOLLOW_PER_S);
    this.view.y += car.vy * seconds + (car.y + aheadY - this.view.y) * share(FOLLOW_PER_S);
    this.view.extent += (this.wantedExtent(car) - this.view.extent) * share(ZOOM_PER_S);
    this.view.turn += wrapped(this.wantedTurn(car) - this.view.turn) * share(TURN_PER_S);
    this.tremble(car, seconds);
  }

  /** Feel a jolt of so many units per second. */
  shake(jolt: number): void {
    this.jolt = Math.min(MOST_THROW, Math.max(this.jolt, THROW * jolt));
  }

  /** At speed and after a jolt the picture trembles a little; never for somebody who wants less motion. */
  private tremble(car: Pose, seconds: number): void {
    this.seconds += seconds;
    if (this.calm) return;
    const pace = Math.min(1, Math.hypot(car.vx, car.vy) / this.lens.topSpeed);
    this.jolt *= Math.exp(-FADES_PER_S * seconds);
    const reach = this.view.extent * (TREMBLE * pace ** 3 + this.jolt);
    this.view.x += reach * Math.sin(this.seconds * TREMBLES_PER_S[0]);
    this.view.y += reach * Math.sin(this.seconds * TREMBLES_PER_S[1]);
  }

  /** How far to look where the car is going: a third of a second, less where the screen is narrow that way. */
  private lookAhead(car: Pose): [number, number] {
    const speed = Math.hypot(car.vx, car.vy);
    if (this.calm || speed < 1) return [0, 0];
    const turn = this.rotates ? this.view.turn : 0;
    const across = Math.abs(car.vx * Math.cos(turn) - car.vy * Math.sin(turn)) / speed;
    const along = Math.abs(car.vx * Math.sin(turn) + car.vy * Math.cos(turn)) / speed;
    const room =
      MOST_AHEAD * Math.min(this.halfWidth / Math.max(across, 0.01), this.halfHeight / Math.max(along, 0.01));
    const ahead = Math.min(speed * this.lens.lookAheadS, room);
    return [(car.vx / speed) * ahead, (car.vy / speed) * ahead];
  }

  private wantedExtent(car: Pose): number {
    const { slow, fast, topSpeed } = this.lens;
    if (this.calm) return fast;
    const pace = Math.min(1, Math.hypot(car.vx, car.vy) / topSpeed);
    return slow + (fast - slow) * pace * pace;
  }

  private wantedTurn(car: Pose): number {
    return this.rotates && !this.calm ? wrapped(Math.PI / 2 - car.heading) : 0;
  }
}
