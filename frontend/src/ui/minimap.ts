/** The track in a corner, with everybody on it. */

import type { Pose } from '../race/poses';
import type { Point, TrackFile } from '../site/data';
import { COLOURS, css } from '../view/palette';

const PAD = 10;
const LETTER_PX = 15;

export class Minimap {
  private readonly pen: CanvasRenderingContext2D;
  private picture: HTMLCanvasElement | null = null;
  private scale = 1;
  private offset: Point = [0, 0];
  private pixels = 1;
  private file: TrackFile | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext('2d')!;
  }

  setTrack(file: TrackFile): void {
    this.file = file;
    this.layOut();
  }

  /** Measure the corner again, after the window changed. */
  layOut(): void {
    if (!this.file) return;
    const density = Math.min(2, window.devicePixelRatio || 1);
    // Lines and dots grow with the letters, so that they are seen on a large screen too.
    this.pixels =
      (density * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)) / LETTER_PX;
    const width = Math.round((this.canvas.clientWidth || 160) * density);
    const height = Math.round((this.canvas.clientHeight || 120) * density);
    this.canvas.width = width;
    this.canvas.height = height;
    const xs = this.file.lines.centre.map(([x]) => x);
    const ys = this.file.lines.centre.map(([, y]) => y);
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const pad = PAD * this.pixels;
    this.scale = Math.min((width - 2 * pad) / (right - left), (height - 2 * pad) / (high - low));
    this.offset = [
      width / 2 - ((left + right) / 2) * this.scale,
      height / 2 + ((low + high) / 2) * this.scale,
    ];
    this.picture = this.drawTrack(this.file, width, height);
  }

  draw(poses: Pose[], colours: number[], ghost: Pose | null): void {
    if (!this.picture) return;
    this.pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.pen.drawImage(this.picture, 0, 0);
    if (ghost) this.dot(ghost, COLOURS.ghost, 3.4);
    for (let car = poses.length - 1; car >= 0; car--)
      if (!poses[car]!.gone) this.dot(poses[car]!, colours[car]!, car === 0 ? 4.2 : 3.4);
  }

  private dot(pose: Pose, colour: number, size: number): void {
    const [x, y] = this.place([pose.x, pose.y]);
    this.pen.beginPath();
    this.pen.arc(x, y, size * this.pixels, 0, 2 * Math.PI);
    this.pen.fillStyle = css(colour);
    this.pen.fill();
    this.pen.lineWidth = 1.2 * this.pixels;
    this.pen.strokeStyle = '#05070a';
    this.pen.stroke();
  }

  private place([x, y]: Point): Point {
    return [this.offset[0] + x * this.scale, this.offset[1] - y * this.scale];
  }

  private drawTrack(file: TrackFile, width: number, height: number): HTMLCanvasElement {
    const picture = document.createElement('canvas');
    picture.width = width;
    picture.height = height;
    const pen = picture.getContext('2d')!;
    pen.lineJoin = 'round';
    for (const [size, colour] of [
      [5, 'rgba(5,7,10,.75)'],
      [3, '#aab6c8'],
    ] as const) {
      pen.beginPath();
      for (const point of file.lines.centre) pen.lineTo(...this.place(point));
      pen.closePath();
      pen.lineWidth = size * this.pixels;
      pen.strokeStyle = colour;
      pen.stroke();
    }
    const [x, y] = this.place(file.gates.centre[0]!);
    pen.fillStyle = '#ffffff';
    pen.fillRect(x - 1.5 * this.pixels, y - 5 * this.pixels, 3 * this.pixels, 10 * this.pixels);
    return picture;
  }
}
