/** Where the picture looks: it follows a car with a little lag, looks ahead, and stands back at speed. */
import type { Pose } from './poses';

export interface View {
  x: number;
  y: number;
  /** How many units the shorter side of the screen shows. */
  extent: number;
  /** Counter-clockwise turn of the world's up against the screen's. */
  turn: number;
}

const SLOW_EXTENT_U = 130;
const FAST_EXTENT_U = 215;
const TOP_SPEED_UPS = 160;
const LOOK_AHEAD_S = 0.34;
const FOLLOW_PER_S = 7;
const ZOOM_PER_S = 1.6;
const TURN_PER_S = 3.2;

export class Camera {
  readonly view: View = { x: 0, y: 0, extent: SLOW_EXTENT_U, turn: 0 };
  rotates = false;
  calm = false;

  /** Stand where the car is, at once. */
  jump(car: Pose): void {
    this.view.x = car.x + car.vx * this.lookAhead();
    this.view.y = car.y + car.vy * this.lookAhead();
    this.view.extent = this.wantedExtent(car);
    this.view.turn = this.wantedTurn(car);
  }

  /** Move towards where the camera wants to be; the same in any frame rate. */
  follow(car: Pose, seconds: number): void {
    const near = Math.hypot(car.x - this.view.x, car.y - this.view.y);
    if (near > 4 * this.view.extent) return this.jump(car);
    const share = (rate: number) => 1 - Math.exp(-rate * seconds);
    const ahead = this.lookAhead();
    // The target runs with the car, so that lag shows in bends and not as a constant distance.
    this.view.x += car.vx * seconds + (car.x + car.vx * ahead - this.view.x) * share(FOLLOW_PER_S);
    this.view.y += car.vy * seconds + (car.y + car.vy * ahead - this.view.y) * share(FOLLOW_PER_S);
    this.view.extent += (this.wantedExtent(car) - this.view.extent) * share(ZOOM_PER_S);
    this.view.turn += wrapped(this.wantedTurn(car) - this.view.turn) * share(TURN_PER_S);
  }

  private lookAhead(): number {
    return this.calm ? 0 : LOOK_AHEAD_S;
  }

  private wantedExtent(car: Pose): number {
    if (this.calm) return FAST_EXTENT_U;
    const pace = Math.min(1, Math.hypot(car.vx, car.vy) / TOP_SPEED_UPS);
    return SLOW_EXTENT_U + (FAST_EXTENT_U - SLOW_EXTENT_U) * pace * pace;
  }

  private wantedTurn(car: Pose): number {
    return this.rotates && !this.calm ? wrapped(Math.PI / 2 - car.heading) : 0;
  }
}

export function wrapped(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
