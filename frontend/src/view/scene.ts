/** The picture of a race: PixiJS on WebGL, or on a plain canvas where there is none. */
import 'pixi.js/unsafe-eval';
import {
  autoDetectRenderer,
  Container,
  Graphics,
  Particle,
  ParticleContainer,
  Rectangle,
  type Renderer,
  RendererType,
} from 'pixi.js';
import { type Expectation, stillAhead } from '../race/foresight';
import type { Pose } from '../race/poses';
import type { TrackFile } from '../site/data';
import type { Light } from '../site/settings';
import { Backdrop } from './backdrop';
import type { View } from './camera';
import { type CarArt, drawCar } from './car-art';
import { type Effects, MOST_BITS } from './effects';
import { hasGraphicsCard } from './graphics';
import { COLOURS, css, SCENERIES } from './palette';
import type { Senses } from './senses';
import { Sight } from './sight';
import { SkidLayer } from './skid-layer';
import { bounds, drawTrack, softDisc, type TrackArt } from './track-art';

export interface SceneCar {
  colour: number;
  ghost: boolean;
  /** How long it is, where cars touch each other: then it is drawn as large as it is. */
  length: number | null;
}

/** Everything one picture depends on. */
export interface Frame {
  view: View;
  poses: Pose[];
  effects: Effects;
  seconds: number;
  /** Share of the width by which the picture lies to the right of the middle, beside the menu. */
  aside: number;
  showLine: boolean;
  /** The reference lap, where it drives along. */
  ghost: Pose | null;
  /** Whether to show where it brakes. */
  showBrakes: boolean;
  /** What a driver sees, or null. */
  senses: Senses | null;
  /** What that driver expects. */
  expected: Expectation | null;
}

const FLASH_S = 0.5;
/** A car with the light of its lamps reaches no further, in its largest size. */
const CAR_REACH_U = 40;
const GROUND_MARGIN_U = 120;
const MOST_GROUND_PIXELS = 12_000_000;

export class Scene {
  private readonly stage = new Container();
  private readonly world = new Container();
  private readonly ground = new Container({ isRenderGroup: true });
  private readonly flashes = new Container();
  private readonly overlay = new Graphics();
  private readonly carLayer = new Container();
  private readonly skids = new SkidLayer();
  private readonly bitLayer: ParticleContainer;
  private readonly bits: Particle[] = [];
  /** Where a plain canvas draws, it does not fill the ground anew in every frame. */
  private readonly backdrop: Backdrop | null;
  private readonly disc = softDisc();
  private file: TrackFile | null = null;
  private shownCar = '';
  private light: Light = 'night';
  private ghost: CarArt | null = null;
  private track: TrackArt | null = null;
  private cars: CarArt[] = [];
  private readonly sight = new Sight();
  private width = 0;
  private height = 0;

  private constructor(
    private readonly renderer: Renderer,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.backdrop = this.kind === 'canvas' ? new Backdrop(canvas) : null;
    const moving = { vertex: true, position: true, rotation: true, color: true };
    this.bitLayer = new ParticleContainer({ dynamicProperties: moving, texture: this.disc });
    this.world.addChild(
      this.ground,
      this.flashes,
      this.skids.root,
      this.overlay,
      this.carLayer,
      this.bitLayer,
    );
    this.stage.addChild(this.world);
  }

  /**
   * WebGL where a graphics card does it; a plain canvas is several times faster than WebGL done by the processor.
   * `wanted` asks for one of the two all the same.
   */
  static async create(canvas: HTMLCanvasElement, wanted: string | null): Promise<Scene> {
    const card = wanted === 'webgl' || (wanted !== 'canvas' && hasGraphicsCard());
    const options = {
      canvas,
      width: 16,
      height: 16,
      background: COLOURS.ground,
      backgroundAlpha: card ? 1 : 0,
      antialias: true,
      autoDensity: false,
      resolution: 1,
    };
    const renderer = await autoDetectRenderer({ ...options, preference: [card ? 'webgl' : 'canvas'] });
    return new Scene(renderer, canvas);
  }

  get kind(): 'webgl' | 'canvas' {
    return this.renderer.type === RendererType.CANVAS ? 'canvas' : 'webgl';
  }

  /** A size in pixels of the page, each of them `density` pixels of the picture. */
  resize(width: number, height: number, density: number): void {
    this.width = Math.round(width * density);
    this.height = Math.round(height * density);
    this.renderer.resize(this.width, this.height);
    if (this.backdrop) this.backdrop.density = density;
  }

  setTrack(file: TrackFile, car: string, light: Light): void {
    if (file === this.file && car === this.shownCar && light === this.light) return;
    this.file = file;
    this.shownCar = car;
    this.setLight(light);
    this.skids.width = file.true_scale ? 0.4 : 0.75;
    this.ground.removeChildren().forEach((child) => {
      child.destroy({ children: true });
    });
    this.flashes.removeChildren().forEach((child) => {
      child.destroy();
    });
    this.track = drawTrack(file, file.references[car] ?? null, SCENERIES[light], this.disc);
    if (this.backdrop) this.paint(this.backdrop, this.track.ground, file);
    else this.ground.addChild(this.track.ground);
    this.ground.addChild(this.track.line, this.track.brakes);
    this.flashes.addChild(...this.track.gates);
  }

  private setLight(light: Light): void {
    this.light = light;
    const { ground, skid } = SCENERIES[light];
    this.skids.colour = skid;
    this.renderer.background.color = ground;
    this.renderer.background.alpha = this.backdrop ? 0 : 1;
    // Where the painted ground ends, a plain canvas shows what lies under it.
    if (this.canvas.parentElement) this.canvas.parentElement.style.backgroundColor = css(ground);
    for (const { headlights } of [...this.cars, ...(this.ghost ? [this.ghost] : [])])
      headlights.visible = SCENERIES[light].lamps;
  }

  private paint(backdrop: Backdrop, art: Container, file: TrackFile): void {
    const [left, bottom, right, top] = bounds(file.lines.outer_wall);
    const frame = new Rectangle(
      left - GROUND_MARGIN_U,
      bottom - GROUND_MARGIN_U,
      right - left + 2 * GROUND_MARGIN_U,
      top - bottom + 2 * GROUND_MARGIN_U,
    );
    const resolution = Math.min(6, Math.sqrt(MOST_GROUND_PIXELS / (frame.width * frame.height)));
    const picture = this.renderer.extract.canvas({
      target: art,
      frame: frame.clone(),
      resolution,
      clearColor: SCENERIES[this.light].ground,
    });
    art.destroy({ children: true });
    if (picture instanceof HTMLCanvasElement) backdrop.show(picture, frame, resolution);
  }

  setCars(cars: SceneCar[], car: string): void {
    this.carLayer.removeChildren().forEach((child) => {
      child.destroy({ children: true });
    });
    this.cars = cars.map(({ colour, ghost, length }) => drawCar(colour, ghost, car, length));
    this.ghost = drawCar(COLOURS.ghost, true, car);
    this.ghost.root.visible = false;
    for (const { headlights } of [...this.cars, this.ghost]) headlights.visible = SCENERIES[this.light].lamps;
    this.carLayer.addChild(this.ghost.root);
    // The first car is the one that matters: it lies on top.
    for (const car of [...this.cars].reverse()) this.carLayer.addChild(car.root);
    this.skids.clear();
  }

  /** Light up a gate. */
  flash(gate: number, colour: number): void {
    const art = this.track?.gates[gate];
    if (!art) return;
    art.tint = colour;
    art.alpha = 0.9;
    art.visible = true;
  }

  draw(frame: Frame): void {
    this.aim(frame.view, frame.aside);
    this.drawCars(frame.poses);
    this.drawGhost(frame.ghost);
    this.skids.update(frame.effects, this.sight);
    this.drawBits(frame.effects);
    this.fade(frame.seconds);
    this.drawSenses(frame.senses, frame.expected);
    if (this.track && this.track.line.visible !== frame.showLine) this.track.line.visible = frame.showLine;
    if (this.track) this.track.brakes.visible = frame.showBrakes;
    this.renderer.render(this.stage);
  }

  /** Draw what was last drawn on another canvas as well: the ground, which may be an element of its own, and the rest. */
  copyTo(pen: CanvasRenderingContext2D): void {
    const { width, height } = pen.canvas;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = css(SCENERIES[this.light].ground);
    pen.fillRect(0, 0, width, height);
    const [wide, high] = [width / this.width, height / this.height];
    this.backdrop?.copyTo(pen, wide, high);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.canvas, 0, 0, width, height);
  }

  /** Half of what is seen at an extent, in units. */
  halfSeen(extent: number): [number, number] {
    const scale = this.pixelsPerUnit(extent);
    return [this.width / 2 / scale, this.height / 2 / scale];
  }

  /** Between the shorter and the longer side, so that a phone held upright is not too close, nor a wide screen too far. */
  private pixelsPerUnit(extent: number): number {
    const short = Math.min(this.width, this.height);
    const long = Math.max(this.width, this.height);
    return (short ** 0.7 * long ** 0.3) / extent;
  }

  private aim(view: View, aside: number): void {
    const scale = this.pixelsPerUnit(view.extent);
    this.world.position.set(this.width * (0.5 + aside), this.height / 2);
    this.world.pivot.set(view.x, view.y);
    this.world.scale.set(scale, -scale);
    this.world.rotation = -view.turn;
    const widest = this.width * (0.5 + Math.abs(aside));
    this.sight.aim(view, widest / scale, this.height / 2 / scale);
    if (!this.backdrop) return;
    this.world.updateLocalTransform();
    this.backdrop.aim(this.world.localTransform);
  }

  private drawCars(poses: Pose[]): void {
    for (const [number, art] of this.cars.entries()) {
      const pose = poses[number];
      if (pose) this.putCar(art, pose);
    }
  }

  private drawGhost(pose: Pose | null): void {
    if (!this.ghost) return;
    this.ghost.root.visible = pose !== null;
    if (pose) this.putCar(this.ghost, pose);
  }

  private putCar(art: CarArt, pose: Pose): void {
    art.root.visible = !pose.gone && this.sight.has(pose.x, pose.y, CAR_REACH_U);
    art.root.position.set(pose.x, pose.y);
    art.root.rotation = pose.heading;
    art.left.rotation = art.right.rotation = pose.frontAngle * 1.4;
    art.brakeLight.alpha = pose.brake > 0.1 ? 0.35 + 0.65 * Math.min(1, pose.brake) : 0.12;
  }

  private drawBits(effects: Effects): void {
    const count = Math.min(effects.bits.length, MOST_BITS);
    while (this.bits.length < count) {
      const part = new Particle({ texture: this.disc, anchorX: 0.5, anchorY: 0.5 });
      this.bits.push(part);
      this.bitLayer.addParticle(part);
    }
    for (const [i, part] of this.bits.entries()) {
      const bit = effects.bits[i];
      if (!bit || i >= count || !this.sight.has(bit.x, bit.y, bit.size)) {
        part.alpha = 0;
        part.scaleX = part.scaleY = 0;
        continue;
      }
      part.x = bit.x;
      part.y = bit.y;
      part.scaleX = part.scaleY = (2 * bit.size) / 32;
      part.tint = bit.colour;
      part.alpha = Math.max(0, bit.life / bit.span) * (bit.grows > 0 ? 0.35 : 1);
    }
  }

  private fade(seconds: number): void {
    for (const art of this.track?.gates ?? []) {
      if (!art.visible) continue;
      art.alpha -= seconds / FLASH_S;
      if (art.alpha <= 0) art.visible = false;
    }
  }

  private drawSenses(senses: Senses | null, expected: Expectation | null): void {
    this.overlay.visible = senses !== null;
    if (!senses) return;
    const { pose, rays, bars, others, intent } = senses;
    const width = this.file?.true_scale ? 0.3 : 0.5;
    this.overlay.clear();
    for (const [x, y] of [...rays, ...others]) this.overlay.moveTo(pose.x, pose.y).lineTo(x, y);
    for (const [[ax, ay], [bx, by]] of bars) this.overlay.moveTo(ax, ay).lineTo(bx, by);
    this.overlay.stroke({ width, color: COLOURS.ai, alpha: 0.6 });
    for (const [x, y] of [...rays, ...bars.flat()]) this.overlay.circle(x, y, 2.4 * width);
    if (rays.length + bars.length > 0) this.overlay.fill({ color: COLOURS.ai, alpha: 0.9 });
    for (const [x, y] of others) this.overlay.circle(x, y, 9 * width);
    if (others.length > 0) this.overlay.stroke({ width, color: COLOURS.ai, alpha: 0.9 });
    this.overlay.moveTo(pose.x, pose.y).lineTo(intent[0], intent[1]);
    this.overlay.stroke({ width: 1.6 * width, color: COLOURS.you, alpha: 0.85 });
    if (!expected) return;
    for (const [x, y] of stillAhead(expected)) this.overlay.circle(x, y, 2 * width);
    this.overlay.fill({ color: COLOURS.you, alpha: 0.9 });
  }
}
