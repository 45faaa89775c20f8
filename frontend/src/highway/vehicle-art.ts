/** How vehicles look from above, each drawn around its middle, pointing along +x, in metres. */
import { VEHICLE_KINDS } from '../physics/numbers';
import { COLOURS, css } from '../view/palette';
import type { SeenVehicle } from './picture-state';
import type { RoadScenery } from './scenery';

const { motorcycle: MOTORCYCLE, SUV, truck: TRUCK } = VEHICLE_KINDS;
const BRAKING_MPS2 = -1;

type Draw = CanvasRenderingContext2D;

/** Which vehicle it is, the ego being the first, whether blinkers shine now, and the light of the day. */
export interface Look {
  slot: number;
  blinks: boolean;
  scenery: RoadScenery;
}

export function drawVehicle(draw: Draw, vehicle: SeenVehicle, look: Look): void {
  const { paints } = look.scenery;
  const paint = look.slot === 0 ? css(COLOURS.ai) : paints[look.slot % paints.length]!;
  drawShadow(draw, vehicle);
  if (vehicle.kind === MOTORCYCLE) drawMotorcycle(draw, vehicle, paint);
  else if (vehicle.kind === TRUCK) drawTruck(draw, vehicle, paint);
  else drawCar(draw, vehicle, paint, vehicle.kind === SUV);
  drawLights(draw, vehicle, look);
}

function box(draw: Draw, x: number, y: number, length: number, width: number, radius: number): void {
  draw.beginPath();
  draw.roundRect(x - length / 2, y - width / 2, length, width, radius);
  draw.fill();
}

function drawShadow(draw: Draw, { length_m, width_m }: SeenVehicle): void {
  draw.fillStyle = 'rgb(0 0 0 / 35%)';
  box(draw, -0.15, 0.22, length_m + 0.2, width_m + 0.2, 0.6);
}

function drawCar(draw: Draw, { length_m, width_m }: SeenVehicle, paint: string, tall: boolean): void {
  draw.fillStyle = paint;
  box(draw, 0, 0, length_m, width_m, 0.55);
  // Glass, then the roof over it.
  draw.fillStyle = '#0d131b';
  box(draw, -0.1 * length_m, 0, length_m * (tall ? 0.68 : 0.58), width_m * 0.86, 0.4);
  draw.fillStyle = paint;
  box(draw, (tall ? -0.14 : -0.1) * length_m, 0, length_m * (tall ? 0.46 : 0.3), width_m * 0.78, 0.25);
  draw.fillStyle = 'rgb(255 255 255 / 16%)';
  box(draw, length_m * 0.36, 0, length_m * 0.12, width_m * 0.7, 0.2);
}

function drawTruck(draw: Draw, { length_m, width_m }: SeenVehicle, paint: string): void {
  draw.fillStyle = '#d4dae2';
  box(draw, -0.12 * length_m, 0, length_m * 0.76, width_m, 0.15);
  draw.strokeStyle = 'rgb(0 0 0 / 14%)';
  draw.lineWidth = 0.08;
  for (let rib = -5; rib <= 2; rib++) {
    draw.beginPath();
    draw.moveTo(rib, -width_m / 2 + 0.15);
    draw.lineTo(rib, width_m / 2 - 0.15);
    draw.stroke();
  }
  draw.fillStyle = paint;
  box(draw, 0.4 * length_m, 0, length_m * 0.2, width_m * 0.96, 0.4);
  draw.fillStyle = '#0d131b';
  box(draw, 0.44 * length_m, 0, length_m * 0.05, width_m * 0.8, 0.15);
}

function drawMotorcycle(draw: Draw, { length_m, width_m }: SeenVehicle, paint: string): void {
  draw.fillStyle = '#11161d';
  box(draw, 0, 0, length_m, width_m * 0.35, 0.14);
  draw.fillStyle = paint;
  box(draw, 0.1, 0, length_m * 0.45, width_m * 0.62, 0.25);
  draw.fillStyle = '#e9edf4';
  draw.beginPath();
  draw.arc(-0.1, 0, 0.27, 0, 2 * Math.PI);
  draw.fill();
}

/** Headlights and tail lights at night, brake lights when it brakes, and a blinker while it moves over. */
function drawLights(draw: Draw, vehicle: SeenVehicle, { blinks, scenery }: Look): void {
  const { length_m, width_m, accel_mps2, turning } = vehicle;
  const out = width_m / 2 - 0.25;
  const lamp = (x: number, y: number, colour: string, size = 0.3) => {
    draw.fillStyle = colour;
    box(draw, x, y, size, size, size / 2.5);
  };
  const sides = vehicle.kind === MOTORCYCLE ? [0] : [-out, out];
  const braking = accel_mps2 < BRAKING_MPS2;
  const tail = braking ? '#ff3b4a' : scenery.lamps ? '#c22a38' : '#7d1f28';
  for (const y of sides) {
    lamp(length_m / 2 - 0.2, y, scenery.lamps ? '#fff6d8' : '#dfe3ea');
    if (braking) lamp(-length_m / 2 + 0.1, y, 'rgb(255 59 74 / 40%)', scenery.lamps ? 1.3 : 0.9);
    lamp(-length_m / 2 + 0.2, y, tail, braking ? 0.42 : 0.3);
  }
  if (turning === 0 || !blinks) return;
  const y = turning * (width_m / 2 - 0.12);
  lamp(length_m / 2 - 0.3, y, '#ffb224', 0.42);
  lamp(-length_m / 2 + 0.3, y, '#ffb224', 0.42);
}
