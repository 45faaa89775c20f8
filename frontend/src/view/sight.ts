/** What part of the world the picture shows: a rectangle that may be turned. */
import type { View } from './camera';

export class Sight {
  private view: View = { x: 0, y: 0, extent: 1, turn: 0 };
  private cos = 1;
  private sin = 0;
  private halfWidth = 0;
  private halfHeight = 0;

  /** Look at a view; half of what is seen of it, in units. */
  aim(view: View, halfWidth: number, halfHeight: number): void {
    this.view = view;
    this.cos = Math.cos(view.turn);
    this.sin = Math.sin(view.turn);
    this.halfWidth = halfWidth;
    this.halfHeight = halfHeight;
  }

  /** Whether something that reaches so far around a point can be seen. */
  has(x: number, y: number, reach: number): boolean {
    const [dx, dy] = [x - this.view.x, y - this.view.y];
    return (
      Math.abs(this.cos * dx - this.sin * dy) < this.halfWidth + reach &&
      Math.abs(this.sin * dx + this.cos * dy) < this.halfHeight + reach
    );
  }
}
