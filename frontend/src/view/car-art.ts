/** A car from above: an open-wheeler or a closed body, with front wheels that turn. */
import { Container, Graphics, Sprite, Texture } from 'pixi.js';

/** Cars are drawn larger than they are (4 by 2 units), or they would be lost on a phone. */
const CAR_SCALE = 2.2;
const GRIP_CAR_SCALE = 1.6;
/** How long a car is drawn at scale 1, and how much larger than it is where cars touch: less would be hard to see. */
const ART_LENGTH = 4.45;
const CONTACT_SHARE = 1.2;
/** A dark rim, so that a car reads on grass and asphalt, by day and by night. */
const RIM = { width: 0.16, color: 0x0b0d11, alpha: 0.9 };
/** How far headlights reach, and half how wide, at scale 1. */
const BEAM = { reach: 15, half: 4.5 };
let beam: Texture | null = null;
/** Cars with open wheels; all others have a roof. */
const OPEN = new Set(['classic', 'formula']);

export interface CarArt {
  root: Container;
  left: Graphics;
  right: Graphics;
  brakeLight: Container;
  /** On at night. */
  headlights: Container;
}

export function drawCar(colour: number, ghost: boolean, car: string, length: number | null = null): CarArt {
  const root = new Container();
  const large = car === 'classic' ? CAR_SCALE : GRIP_CAR_SCALE;
  root.scale.set(length === null ? large : (CONTACT_SHARE * length) / ART_LENGTH);
  root.alpha = ghost ? 0.82 : 1;
  const shadow = new Graphics().roundRect(-2.3, -1.25, 4.6, 2.3, 0.6).fill({ color: 0x000000, alpha: 0.32 });
  shadow.position.set(-0.18, -0.22);
  const left = wheel(1.25, 0.86, 0.72, 0.34);
  const right = wheel(1.25, -0.86, 0.72, 0.34);
  const brakeLight = rearLamps();
  const headlights = headlightBeam();
  root.addChild(
    headlights,
    shadow,
    wheel(-1.25, 0.86, 0.82, 0.44),
    wheel(-1.25, -0.86, 0.82, 0.44),
    left,
    right,
  );
  root.addChild(OPEN.has(car) ? openBody(colour) : closedBody(colour, car === 'gt'), brakeLight);
  return { root, left, right, brakeLight, headlights };
}

/** Two lamps with a glow behind them: braking is seen from across the track. */
function rearLamps(): Container {
  const lamps = new Graphics()
    .circle(-2.35, 0.5, 0.75)
    .circle(-2.35, -0.5, 0.75)
    .fill({ color: 0xff2b3a, alpha: 0.3 })
    .roundRect(-2.3, 0.26, 0.3, 0.5, 0.1)
    .roundRect(-2.3, -0.76, 0.3, 0.5, 0.1)
    .fill(0xff2b3a);
  return lamps;
}

/** Light on the road ahead, fading with distance and to the sides; one picture for all cars. */
function headlightBeam(): Sprite {
  beam ??= Texture.from(beamPicture());
  const light = new Sprite(beam);
  light.anchor.set(0, 0.5);
  light.position.set(1.9, 0);
  light.setSize(BEAM.reach, 2 * BEAM.half);
  return light;
}

function beamPicture(): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [10 * BEAM.reach, 20 * BEAM.half];
  const [far, middle] = [canvas.width, canvas.height / 2];
  const pen = canvas.getContext('2d')!;
  const fade = pen.createRadialGradient(0, middle, 0, 0, middle, far);
  fade.addColorStop(0, 'rgb(255 243 207 / 8%)');
  fade.addColorStop(1, 'rgb(255 243 207 / 0%)');
  pen.fillStyle = fade;
  // Wider and wider cones: bright in the middle, soft at the edges.
  for (let width = 0.3; width <= 1; width += 0.1) {
    pen.beginPath();
    pen.moveTo(0, middle - 5);
    pen.lineTo(far, middle * (1 - width));
    pen.lineTo(far, middle * (1 + width));
    pen.lineTo(0, middle + 5);
    pen.fill();
  }
  return canvas;
}

function wheel(x: number, y: number, length: number, width: number): Graphics {
  const art = new Graphics().roundRect(-length / 2, -width / 2, length, width, 0.12).fill(0x0b0d11);
  art.position.set(x, y);
  return art;
}

/** A coupé, or with a wing a racing one. */
function closedBody(colour: number, wing: boolean): Graphics {
  const dark = shade(colour, 0.55);
  const art = new Graphics()
    .roundRect(-2.15, -0.92, 4.3, 1.84, 0.5)
    .fill(colour)
    .stroke(RIM)
    .roundRect(-1.25, -0.72, 2.2, 1.44, 0.4)
    .fill(0x0b0d11)
    .roundRect(-0.85, -0.62, 1.25, 1.24, 0.3)
    .fill(dark)
    .rect(1.9, -0.75, 0.2, 0.4)
    .rect(1.9, 0.35, 0.2, 0.4)
    .fill(0xf2f5fa);
  return wing ? art.roundRect(-2.35, -0.98, 0.4, 1.96, 0.08).fill(dark) : art;
}

function openBody(colour: number): Graphics {
  const dark = shade(colour, 0.55);
  return (
    new Graphics()
      // rear wing, floor, nose and front wing
      .roundRect(-2.1, -0.85, 0.5, 1.7, 0.1)
      .fill(dark)
      .poly([-1.6, 0.55, -0.3, 0.72, 0.5, 0.5, 0.5, -0.5, -0.3, -0.72, -1.6, -0.55])
      .fill(colour)
      .stroke(RIM)
      .poly([0.4, 0.42, 1.9, 0.2, 2.15, 0, 1.9, -0.2, 0.4, -0.42])
      .fill(colour)
      .stroke(RIM)
      .roundRect(1.72, -0.82, 0.36, 1.64, 0.1)
      .fill(dark)
      // a stripe, and the cockpit with a helmet
      .rect(-1.6, -0.09, 1.1, 0.18)
      .fill({ color: 0xffffff, alpha: 0.85 })
      .ellipse(0, 0, 0.62, 0.34)
      .fill(0x0b0d11)
      .circle(-0.08, 0, 0.26)
      .fill(0xf2f5fa)
  );
}

function shade(colour: number, share: number): number {
  const part = (shift: number) => Math.round(((colour >> shift) & 255) * share) << shift;
  return part(16) | part(8) | part(0);
}
