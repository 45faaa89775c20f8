/** Where the picture looks: it follows a car with a little lag, looks ahead, and stands back at speed. */
import { TOP_SPEED_UPS } from '../physics/numbers';
import { type Pose, wrapped } from '../race/poses';

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
const LOOK_AHEAD_S = 0.34;
const MOST_AHEAD = 0.5;
const FOLLOW_PER_S = 7;
const ZOOM_PER_S = 1.6;
const TURN_PER_S = 3.2;

export class Camera {
  readonly view: View = { x: 0, y: 0, extent: SLOW_EXTENT_U, turn: 0 };
  rotates = false;
  calm = false;
  /** Half of what the screen shows, in units: the car must not be pushed off it. */
  halfWidth = 100;
  halfHeight = 60;

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
    const ahead = Math.min(speed * LOOK_AHEAD_S, room);
    return [(car.vx / speed) * ahead, (car.vy / speed) * ahead];
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
