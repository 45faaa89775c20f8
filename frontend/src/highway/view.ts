/** The road from above: driven to the right on a wide window, upwards on a tall one. */
import { COLOURS, css } from '../view/palette';
import type { Moment, SeenVehicle } from './picture-state';
import type { RoadScenery } from './scenery';
import { drawVehicle } from './vehicle-art';

export interface ViewFrame {
  moment: Moment;
  /** What the mission asks to keep to the vehicle ahead. */
  gap_s: number;
  /** Whether the mission leads to another lane. */
  showsTarget: boolean;
  /** 0 to 1: how brightly the supervisor shines. */
  alarm: number;
  seconds: number;
}

/** What of the window the road may use, in CSS pixels. */
export interface Room {
  width: number;
  height: number;
  ratio: number;
}

const DASH_M = 3;
const DASH_EVERY_M = 12;
const SIGN_EVERY_M = 45;
const HATCH_EVERY_M = 4;
const POST_EVERY_M = 25;
const TREE_EVERY_M = 5;
const WIDE_M = 95;
const TALL_M = 46;
const BEHIND_SHARE = 0.27;
const EDGE_M = 2.6;
const BLINKS_PER_S = 1.5;
/** How far the headlights of the ego and of the others reach, and how bright they are. */
const EGO_BEAM = { reach_m: 20, percent: 28 };
const OTHER_BEAM = { reach_m: 11, percent: 13 };
const PLATE = 'rgb(9 12 17 / 80%)';

type Draw = CanvasRenderingContext2D;

/** A number from 0 to 1 that is always the same for the same place. */
function chance(place: number, salt: number): number {
  const value = Math.sin(place * 12.9898 + salt * 78.233) * 43758.5453;
  return value - Math.floor(value);
}

export class RoadView {
  private readonly draw: Draw;
  private room: Room = { width: 1, height: 1, ratio: 1 };
  private upwards = false;
  private scale = 1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly laneWidth_m: number,
    /** Of each lane, in the units of the page. */
    public limits: number[],
    public scenery: RoadScenery,
  ) {
    this.draw = canvas.getContext('2d', { alpha: false })!;
  }

  /** Fit the road into the part of the window that the panel leaves. */
  resize(room: Room): void {
    this.room = room;
    this.canvas.width = Math.round(room.width * room.ratio);
    this.canvas.height = Math.round(room.height * room.ratio);
    this.upwards = room.height > 0.8 * room.width;
    const across = this.upwards ? room.width : room.height;
    const along = this.upwards ? room.height : room.width;
    // The road fills most of the short side, unless one would see too little of the long one.
    this.scale = Math.min(
      (0.8 * across) / (this.paved_m + 2 * EDGE_M),
      along / (this.upwards ? TALL_M : WIDE_M),
    );
  }

  paint(frame: ViewFrame): void {
    const ego = frame.moment.vehicles[0];
    if (!ego) return;
    const { draw, room } = this;
    const along = this.upwards ? room.height : room.width;
    const from_m = ego.x_m - (along * BEHIND_SHARE) / this.scale;
    const to_m = from_m + along / this.scale;
    draw.setTransform(room.ratio, 0, 0, room.ratio, 0, 0);
    draw.fillStyle = this.scenery.ground;
    draw.fillRect(0, 0, room.width, room.height);
    this.intoTheRoad(from_m);
    this.paintVerge(from_m, to_m);
    this.paintAsphalt(from_m, to_m, frame);
    this.paintMarkings(from_m, to_m);
    this.paintGap(frame, ego);
    this.paintVehicles(frame, from_m, to_m);
    this.paintAlarm(frame.alarm);
  }

  private get width_m(): number {
    return this.limits.length * this.laneWidth_m;
  }

  /** The lanes and the shoulder on their right. */
  private get paved_m(): number {
    return this.width_m + this.laneWidth_m;
  }

  /** From here on x is metres along the road and y metres from its left edge, to the right. */
  private intoTheRoad(from_m: number): void {
    const { draw, room, scale } = this;
    const across = this.upwards ? room.width : room.height;
    const margin = (across - this.paved_m * scale) / 2;
    if (this.upwards) draw.transform(0, -scale, scale, 0, margin, room.height);
    else draw.transform(scale, 0, 0, scale, 0, margin);
    draw.translate(-from_m, 0);
  }

  /** Posts and trees beside the road: without them one would not feel the speed. */
  private paintVerge(from_m: number, to_m: number): void {
    const { draw, scenery } = this;
    for (let n = Math.floor(from_m / TREE_EVERY_M) - 1; n * TREE_EVERY_M < to_m; n++) {
      for (const side of [-1, 1]) {
        const [spread, size, shade] = [chance(n, side), chance(n, side + 7), chance(n, side + 13)];
        const radius = 0.7 + 1.3 * size;
        const away = EDGE_M + 3.2 + radius + 9 * spread * spread;
        const y = side < 0 ? -away : this.paved_m + away;
        const x = (n + 0.8 * shade) * TREE_EVERY_M;
        this.paintTree(x, y, radius, scenery.trees[Math.floor(shade * scenery.trees.length)]!);
      }
    }
    draw.fillStyle = scenery.posts;
    for (let post = Math.floor(from_m / POST_EVERY_M); post * POST_EVERY_M < to_m; post++)
      for (const y of [-EDGE_M - 0.8, this.paved_m + EDGE_M + 0.8])
        draw.fillRect(post * POST_EVERY_M, y - 0.14, 0.5, 0.28);
  }

  private paintTree(x: number, y: number, radius: number, colour: string): void {
    const { draw } = this;
    const disc = (dx: number, dy: number, size: number, fill: string) => {
      draw.fillStyle = fill;
      draw.beginPath();
      draw.arc(x + dx, y + dy, size, 0, 2 * Math.PI);
      draw.fill();
    };
    disc(0.4, 0.4, radius, this.scenery.treeShadow);
    disc(0, 0, radius, colour);
    disc(-0.2 * radius, -0.2 * radius, 0.55 * radius, 'rgb(255 255 255 / 5%)');
  }

  private paintAsphalt(from_m: number, to_m: number, frame: ViewFrame): void {
    const { draw, scenery } = this;
    const length = to_m - from_m;
    draw.fillStyle = scenery.verge;
    draw.fillRect(from_m, -EDGE_M, length, this.paved_m + 2 * EDGE_M);
    draw.fillStyle = scenery.road;
    draw.fillRect(from_m, 0, length, this.width_m);
    draw.fillStyle = scenery.shoulder;
    draw.fillRect(from_m, this.width_m, length, this.laneWidth_m);
    if (!frame.showsTarget) return;
    draw.fillStyle = scenery.target;
    draw.fillRect(from_m, frame.moment.missionLane * this.laneWidth_m, length, this.laneWidth_m);
  }

  private paintMarkings(from_m: number, to_m: number): void {
    const { draw, laneWidth_m, scenery } = this;
    draw.fillStyle = scenery.edge;
    for (const y of [0, this.width_m, this.paved_m]) draw.fillRect(from_m, y - 0.1, to_m - from_m, 0.2);
    draw.fillStyle = scenery.dashes;
    const first = Math.floor(from_m / DASH_EVERY_M) * DASH_EVERY_M;
    for (let lane = 1; lane < this.limits.length; lane++)
      for (let x = first; x < to_m; x += DASH_EVERY_M)
        draw.fillRect(x, lane * laneWidth_m - 0.07, DASH_M, 0.14);
    this.paintHatching(from_m, to_m);
    this.paintNumbers(from_m, to_m);
  }

  /** Slanted lines on the shoulder: no lane to drive in. */
  private paintHatching(from_m: number, to_m: number): void {
    const { draw, width_m, paved_m } = this;
    draw.strokeStyle = this.scenery.hatching;
    draw.lineWidth = 0.35;
    draw.beginPath();
    for (let n = Math.floor(from_m / HATCH_EVERY_M) - 1; n * HATCH_EVERY_M < to_m; n++) {
      draw.moveTo(n * HATCH_EVERY_M, paved_m - 0.3);
      draw.lineTo(n * HATCH_EVERY_M + 2.4, width_m + 0.3);
    }
    draw.stroke();
  }

  /** On the road: the number of each lane, from 1 on the left, and its limit in a ring. */
  private paintNumbers(from_m: number, to_m: number): void {
    const { draw, laneWidth_m } = this;
    draw.textAlign = 'center';
    draw.textBaseline = 'middle';
    draw.strokeStyle = draw.fillStyle = this.scenery.signs;
    draw.lineWidth = 0.14;
    for (let sign = Math.floor(from_m / SIGN_EVERY_M) - 1; sign * SIGN_EVERY_M < to_m; sign++) {
      const x = sign * SIGN_EVERY_M;
      for (const [lane, limit] of this.limits.entries()) {
        const y = (lane + 0.5) * laneWidth_m;
        draw.font = '800 2.3px system-ui, sans-serif';
        this.paintText(String(lane + 1), x, y);
        draw.font = '700 1.1px system-ui, sans-serif';
        this.paintText(String(Math.round(limit)), x + 4, y);
        draw.beginPath();
        draw.arc(x + 4, y, 1.1, 0, 2 * Math.PI);
        draw.stroke();
      }
      draw.font = '700 1.1px system-ui, sans-serif';
      draw.fillText('SHOULDER', x, this.width_m + laneWidth_m / 2);
    }
  }

  /** Letters upright for who looks at the window, wherever the road leads. */
  private paintText(text: string, x: number, y: number): void {
    const { draw } = this;
    draw.save();
    draw.translate(x, y);
    if (this.upwards) draw.rotate(Math.PI / 2);
    draw.fillText(text, 0, 0);
    draw.restore();
  }

  /** A line to the vehicle ahead, with its length in seconds: green while it is the mission's, red when far too short. */
  private paintGap({ moment, gap_s }: ViewFrame, ego: SeenVehicle): void {
    const leader = moment.leader && moment.vehicles[moment.leader.vehicle];
    if (!leader || ego.speed_mps < 1) return;
    const { draw } = this;
    const seconds = moment.leader!.gap_m / ego.speed_mps;
    const [nose, tail] = [ego.x_m + ego.length_m / 2 + 0.8, leader.x_m - leader.length_m / 2 - 0.8];
    if (tail <= nose || seconds > 5) return;
    const y = (ego.across + 0.5) * this.laneWidth_m;
    const colour = css(seconds < 0.6 * gap_s ? COLOURS.bad : seconds < gap_s ? COLOURS.edge : COLOURS.good);
    draw.strokeStyle = colour;
    draw.lineWidth = 0.16;
    draw.setLineDash([0.9, 0.7]);
    draw.beginPath();
    draw.moveTo(nose, y);
    draw.lineTo(tail, y);
    draw.stroke();
    draw.setLineDash([]);
    if (tail - nose > 6) this.paintPlate(`${seconds.toFixed(1)} s`, (nose + tail) / 2, y - 1.1, colour);
  }

  /** Letters on a dark plate: to be read by day and by night. */
  private paintPlate(text: string, x: number, y: number, colour: string): void {
    const { draw } = this;
    const [width, height] = this.upwards ? [1.7, 3.8] : [3.8, 1.7];
    draw.fillStyle = PLATE;
    draw.beginPath();
    draw.roundRect(x - width / 2, y - height / 2, width, height, 0.4);
    draw.fill();
    draw.fillStyle = colour;
    draw.font = '700 1.25px system-ui, sans-serif';
    this.paintText(text, x, y);
  }

  private paintVehicles({ moment, seconds }: ViewFrame, from_m: number, to_m: number): void {
    const { draw, scenery } = this;
    const blinks = (seconds * BLINKS_PER_S) % 1 < 0.55;
    for (let slot = moment.vehicles.length - 1; slot >= 0; slot--) {
      const vehicle = moment.vehicles[slot];
      if (!vehicle || vehicle.x_m < from_m - 12 || vehicle.x_m > to_m + 12) continue;
      draw.save();
      draw.translate(vehicle.x_m, (vehicle.across + 0.5) * this.laneWidth_m);
      draw.rotate(vehicle.heading_rad);
      if (scenery.lamps) this.paintBeam(vehicle, slot === 0 ? EGO_BEAM : OTHER_BEAM);
      if (slot === 0) this.paintRing(vehicle, scenery.ego);
      else if (slot === moment.missionVehicle) this.paintRing(vehicle, 'rgb(255 255 255 / 80%)');
      drawVehicle(draw, vehicle, { slot, blinks, scenery });
      draw.restore();
    }
  }

  /** The light before a vehicle. */
  private paintBeam({ length_m, width_m }: SeenVehicle, { reach_m, percent }: typeof EGO_BEAM): void {
    const { draw } = this;
    const beam = draw.createLinearGradient(length_m / 2, 0, length_m / 2 + reach_m, 0);
    beam.addColorStop(0, `rgb(255 246 216 / ${percent}%)`);
    beam.addColorStop(1, 'rgb(255 246 216 / 0%)');
    draw.fillStyle = beam;
    draw.beginPath();
    draw.moveTo(length_m / 2, -width_m / 2);
    draw.lineTo(length_m / 2 + reach_m, -width_m / 2 - 0.12 * reach_m);
    draw.lineTo(length_m / 2 + reach_m, width_m / 2 + 0.12 * reach_m);
    draw.lineTo(length_m / 2, width_m / 2);
    draw.fill();
  }

  /** A ring around the ego, and around the vehicle it is to overtake. */
  private paintRing({ length_m, width_m }: SeenVehicle, colour: string): void {
    const { draw } = this;
    draw.strokeStyle = colour;
    draw.lineWidth = 0.14;
    draw.beginPath();
    draw.roundRect(-length_m / 2 - 0.45, -width_m / 2 - 0.45, length_m + 0.9, width_m + 0.9, 0.9);
    draw.stroke();
  }

  /** The edges of the window glow while the supervisor holds the wheel. */
  private paintAlarm(alarm: number): void {
    if (alarm <= 0.01) return;
    const { draw, room } = this;
    draw.setTransform(room.ratio, 0, 0, room.ratio, 0, 0);
    const reach = Math.max(room.width, room.height) * 0.7;
    const middle = [room.width / 2, room.height / 2] as const;
    const glow = draw.createRadialGradient(...middle, reach * 0.45, ...middle, reach);
    glow.addColorStop(0, 'rgb(255 178 36 / 0%)');
    glow.addColorStop(1, `rgb(255 178 36 / ${Math.round(38 * alarm)}%)`);
    draw.fillStyle = glow;
    draw.fillRect(0, 0, room.width, room.height);
  }
}
