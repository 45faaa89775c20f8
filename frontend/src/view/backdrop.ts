/** The ground as an element under the race: painted once, then only moved, which the browser does beside the page's work. */
import type { Matrix, Rectangle } from 'pixi.js';

export class Backdrop {
  /** Pixels of the scene to one of the page. */
  density = 1;
  private shown: HTMLCanvasElement | null = null;
  private frame: Rectangle | null = null;
  private resolution = 1;
  private world: Matrix | null = null;

  constructor(private readonly scene: HTMLElement) {}

  /** Show a picture of a part of the world, with so many pixels to a unit. */
  show(picture: HTMLCanvasElement, frame: Rectangle, resolution: number): void {
    this.shown?.remove();
    this.shown = bitmapOf(picture);
    this.scene.before(this.shown);
    this.frame = frame;
    this.resolution = resolution;
  }

  /** Lay it where the world is on the scene. */
  aim(world: Matrix): void {
    if (!this.shown || !this.frame) return;
    const { x, y } = this.frame;
    const { a, b, c, d, tx, ty } = world;
    const turn = [a, b, c, d].map((part) => part / this.resolution / this.density);
    const place = [a * x + c * y + tx, b * x + d * y + ty].map((part) => part / this.density);
    this.shown.style.transform = `matrix(${[...turn, ...place].join()})`;
    this.world = world;
  }

  /** Draw it on another canvas, so many times as wide and high as the scene. */
  copyTo(pen: CanvasRenderingContext2D, wide: number, high: number): void {
    if (!this.shown || !this.frame || !this.world) return;
    const { x, y } = this.frame;
    const { a, b, c, d, tx, ty } = this.world;
    const [across, down] = [wide / this.resolution, high / this.resolution];
    pen.setTransform(
      ...([a * across, b * down, c * across, d * down] as const),
      (a * x + c * y + tx) * wide,
      (b * x + d * y + ty) * high,
    );
    pen.drawImage(this.shown, 0, 0);
  }
}

/** A canvas that was drawn on hands all its pixels over in every frame; one that holds a bitmap does so once. */
function bitmapOf(picture: HTMLCanvasElement): HTMLCanvasElement {
  const shown = document.createElement('canvas');
  shown.className = 'backdrop';
  shown.width = picture.width;
  shown.height = picture.height;
  const pen = shown.getContext('bitmaprenderer');
  void createImageBitmap(picture).then((bitmap) => pen?.transferFromImageBitmap(bitmap));
  return shown;
}
