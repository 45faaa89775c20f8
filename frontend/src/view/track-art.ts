/** A track as pictures: ground, grass, asphalt, kerbs, walls, start line. Built once per track. */
import { Container, Graphics, Texture, TilingSprite } from 'pixi.js';
import { GATES } from '../physics/numbers';
import { brakingPoints } from '../race/reference-ghost';
import { smoothedBends } from '../race/turns';
import type { Point, Reference, TrackFile } from '../site/data';
import { COLOURS, css, type Scenery } from './palette';
import { strips } from './strips';
import { dice } from './trackside';
import { drawTrackside } from './trackside-art';

const KERB_BEND_PER_U = 1 / 170;
const KERB_WIDTH_U = 2.6;
const KERB_STRIPE_U = 5;
const MEADOW_TILE_U = 60;
const GRAIN_TILE_U = 56;

export interface TrackArt {
  /** All that never changes. */
  ground: Container;
  gates: Graphics[];
  line: Graphics;
  /** Where the reference lap begins to brake. */
  brakes: Graphics;
}

export function drawTrack(
  track: TrackFile,
  reference: Reference | null,
  scenery: Scenery,
  disc: Texture,
): TrackArt {
  const { lines } = track;
  const ground = new Container();
  ground.addChild(
    meadow(track, scenery),
    ring(lines.outer_wall, lines.inner_wall, scenery.runoff),
    ring(
      shoulderEdge(lines.outer_road_edge, lines.outer_wall, track.widths.shoulder_width_u),
      shoulderEdge(lines.inner_road_edge, lines.inner_wall, track.widths.shoulder_width_u),
      scenery.shoulder,
    ),
    ring(lines.outer_road_edge, lines.inner_road_edge, scenery.road),
    grain(track),
    groove(track, reference, scenery.groove),
    wallShadow(track, scenery),
    walls(track, 3.4, scenery.wallBase),
    edgeLines(track, scenery.edge),
    kerbs(track),
    startLine(track),
    walls(track, 1.1, scenery.wall),
    drawTrackside(track, scenery, disc),
  );
  const gates = track.gates.left.map((_, gate) => gateFlash(track, gate));
  return { ground, gates, line: racingLine(track, reference), brakes: brakeMarks(track, reference) };
}

const flat = (points: Point[]) => points.flat();

/** The area between two closed lines. */
function ring(outer: Point[], inner: Point[], colour: number): Graphics {
  const art = new Graphics();
  for (const piece of strips(outer, inner)) art.poly(flat(piece)).fill(colour);
  return art;
}

/** How wide lines are drawn: at true scale roads are narrower, and so is what is painted on them. */
function pen(track: TrackFile): number {
  return track.true_scale ? 0.4 : 1;
}

/** Where grass ends and gravel begins: a fixed distance beyond the road, or the wall where that is nearer. */
function shoulderEdge(edge: Point[], wall: Point[], width: number): Point[] {
  return edge.map(([x, y], i) => {
    const [wx, wy] = wall[i]!;
    const room = Math.hypot(wx - x, wy - y);
    const share = room > 0 ? Math.min(1, width / room) : 0;
    return [x + (wx - x) * share, y + (wy - y) * share];
  });
}

/** Mown stripes and tufts beyond the walls, so that speed is felt there too. */
function meadow(track: TrackFile, scenery: Scenery): Container {
  const [canvas, pen] = blank(128);
  const roll = dice(`${track.id} meadow`);
  pen.fillStyle = css(scenery.ground);
  pen.fillRect(0, 0, 128, 128);
  pen.fillStyle = css(scenery.meadow);
  pen.globalAlpha = 0.45;
  pen.fillRect(0, 0, 64, 128);
  pen.globalAlpha = 1;
  for (let i = 0; i < 46; i++) pen.fillRect(roll() * 126, roll() * 126, 1.5, 2.5);
  return tiled(track, canvas, MEADOW_TILE_U);
}

/** Specks on asphalt, grass and gravel: what makes speed visible. */
function grain(track: TrackFile): Container {
  const [canvas, pen] = blank(256);
  const roll = dice(`${track.id} grain`);
  for (let i = 0; i < 520; i++) {
    const light = i % 2 === 0;
    pen.fillStyle = light ? 'rgba(255,255,255,.055)' : 'rgba(0,0,0,.13)';
    const size = 1 + roll() * 2.4;
    pen.fillRect(roll() * 254, roll() * 254, size * (1 + roll()), size);
  }
  return tiled(track, canvas, GRAIN_TILE_U);
}

function blank(size: number): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  return [canvas, canvas.getContext('2d')!];
}

/** A picture repeated over the whole track and a margin. */
function tiled(track: TrackFile, canvas: HTMLCanvasElement, tile: number): Container {
  const margin = 400;
  const [left, bottom, right, top] = bounds(track.lines.outer_wall);
  const art = new TilingSprite({
    texture: Texture.from(canvas),
    width: right - left + 2 * margin,
    height: top - bottom + 2 * margin,
    tileScale: { x: tile / canvas.width, y: tile / canvas.width },
  });
  art.position.set(left - margin, bottom - margin);
  return art;
}

export function bounds(points: Point[]): [number, number, number, number] {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** The rubber of many laps. */
function groove(track: TrackFile, reference: Reference | null, colour: number): Graphics {
  const art = new Graphics();
  const line = reference ? reference.x_u.map((x, i): Point => [x, reference.y_u[i]!]) : track.lines.centre;
  for (const [width, alpha] of [
    [6, 0.45],
    [2.5, 0.55],
  ] as const)
    art.poly(flat(line), true).stroke({ width: width * pen(track), color: colour, alpha, join: 'round' });
  return art;
}

/** A red bar over the road wherever the reference begins to brake. */
function brakeMarks(track: TrackFile, reference: Reference | null): Graphics {
  const art = new Graphics();
  if (!reference) return art;
  const { centre, inner_road_edge, outer_road_edge } = track.lines;
  for (const i of brakingPoints(reference)) {
    const here = nearest(centre, [reference.x_u[i]!, reference.y_u[i]!]);
    art.poly([...inner_road_edge[here]!, ...outer_road_edge[here]!], false);
  }
  return art.stroke({ width: 2.4 * pen(track), color: COLOURS.bad, alpha: 0.6 });
}

function nearest(line: Point[], [x, y]: Point): number {
  const far = ([px, py]: Point) => (px - x) ** 2 + (py - y) ** 2;
  return line.reduce((best, point, i) => (far(point) < far(line[best]!) ? i : best), 0);
}

function edgeLines(track: TrackFile, colour: number): Graphics {
  const art = new Graphics();
  for (const edge of [track.lines.inner_road_edge, track.lines.outer_road_edge])
    art.poly(flat(edge.slice(0, -1)), true).stroke({ width: 0.7 * pen(track), color: colour, alpha: 0.75 });
  return art;
}

/** Red and white stones along the inside of bends; each colour is one path, since a path costs more than its corners. */
function kerbs(track: TrackFile): Graphics {
  const { centre, inner_road_edge, outer_road_edge } = track.lines;
  const bends = smoothedBends(centre, track.length_u / centre.length);
  const inward = isLeft(centre, inner_road_edge) ? 1 : -1;
  const stones: [number[][], number[][]] = [[], []];
  kerbAlong(
    stones,
    inner_road_edge,
    track,
    bends.map((bend) => bend * inward > KERB_BEND_PER_U),
  );
  kerbAlong(
    stones,
    outer_road_edge,
    track,
    bends.map((bend) => -bend * inward > KERB_BEND_PER_U),
  );
  const art = new Graphics();
  for (const [colour, quads] of [
    [COLOURS.kerbA, stones[0]],
    [COLOURS.kerbB, stones[1]],
  ] as const) {
    for (const quad of quads) art.poly(quad);
    if (quads.length > 0) art.fill({ color: colour, alpha: 0.9 });
  }
  return art;
}

function isLeft(centre: Point[], edge: Point[]): boolean {
  const [ax, ay] = centre[0]!;
  const [bx, by] = centre[1]!;
  const [ex, ey] = edge[0]!;
  return (bx - ax) * (ey - ay) - (by - ay) * (ex - ax) > 0;
}

/** Stones along the wanted parts of an edge, by turns into the one list and the other. */
function kerbAlong(
  stones: [number[][], number[][]],
  edge: Point[],
  track: TrackFile,
  wanted: boolean[],
): void {
  const { centre } = track.lines;
  let count = 0;
  for (let i = 0; i < centre.length; i++) {
    const [a, b] = [edge[i]!, edge[i + 1]!];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (!wanted[i] || length < 0.1) continue;
    const pieces = Math.max(1, Math.round(length / (KERB_STRIPE_U * pen(track))));
    const [ox, oy] = outward(a, centre[i]!, [b[0] - a[0], b[1] - a[1]]);
    const out: Point = [ox * KERB_WIDTH_U * pen(track), oy * KERB_WIDTH_U * pen(track)];
    for (let k = 0; k < pieces; k++) {
      stones[count % 2 === 0 ? 0 : 1].push(stone(a, b, k / pieces, (k + 1) / pieces, out));
      count += 1;
    }
  }
}

/** Unit vector across the edge, away from the middle of the road. */
function outward([ex, ey]: Point, [cx, cy]: Point, [dx, dy]: Point): Point {
  const length = Math.hypot(dx, dy);
  const [nx, ny] = [-dy / length, dx / length];
  return nx * (ex - cx) + ny * (ey - cy) > 0 ? [nx, ny] : [-nx, -ny];
}

function stone(a: Point, b: Point, from: number, to: number, [ox, oy]: Point): number[] {
  const at = (share: number): Point => [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
  const [p, q] = [at(from), at(to)];
  return [...p, ...q, q[0] + ox, q[1] + oy, p[0] + ox, p[1] + oy];
}

/** What the walls throw on the grass beside them. */
function wallShadow(track: TrackFile, { shadow }: Scenery): Graphics {
  const art = walls(track, 3, 0x000000);
  art.position.set(1.6 * pen(track), -2.2 * pen(track));
  art.alpha = shadow;
  return art;
}

function walls(track: TrackFile, width: number, colour: number): Graphics {
  const art = new Graphics();
  for (const wall of [track.lines.inner_wall, track.lines.outer_wall])
    art.poly(flat(wall.slice(0, -1)), true).stroke({ width: width * pen(track), color: colour });
  return art;
}

/** A chequered band over the road at gate 0, and the box in which cars stand. */
function startLine(track: TrackFile): Container {
  const group = new Container();
  const [cx, cy] = track.gates.centre[0]!;
  const [dx, dy] = track.gates.direction[0]!;
  const half = track.widths.half_width_u[0]!;
  const cell = half / 12;
  const art = new Graphics().rect(-1.5 * cell, -half, 3 * cell, 2 * half).fill(COLOURS.wallBase);
  for (let column = -12; column < 12; column++)
    for (let row = 0; row < 3; row++)
      if ((row + column) & 1) art.rect((row - 1.5) * cell, column * cell, cell, cell);
  art.fill(COLOURS.kerbB);
  group.addChild(art);
  group.position.set(cx, cy);
  group.rotation = Math.atan2(dy, dx);
  return group;
}

/** A line over the road that lights up when a car passes. */
function gateFlash(track: TrackFile, gate: number): Graphics {
  const [cx, cy] = track.gates.centre[gate]!;
  const half = track.widths.half_width_u[Math.round((gate / GATES) * track.widths.half_width_u.length)] ?? 20;
  const across = (end: Point): Point => {
    const length = Math.hypot(end[0] - cx, end[1] - cy);
    return [cx + ((end[0] - cx) / length) * half, cy + ((end[1] - cy) / length) * half];
  };
  const art = new Graphics()
    .poly([...across(track.gates.left[gate]!), ...across(track.gates.right[gate]!)], false)
    .stroke({ width: 1.6 * pen(track), color: 0xffffff });
  art.alpha = 0;
  art.visible = false;
  return art;
}

/** The reference lap, red where it brakes and green where it accelerates. */
function racingLine(track: TrackFile, reference: Reference | null): Graphics {
  const art = new Graphics();
  if (!reference) {
    art.poly(flat(track.lines.centre), true).stroke({ width: 0.8, color: COLOURS.ai, alpha: 0.5 });
    return art;
  }
  const { x_u, y_u, speed_ups, every_ticks } = reference;
  const step = Math.max(1, Math.round(4 / every_ticks));
  for (let i = 0; i < x_u.length; i += step) {
    const k = (i + step) % x_u.length;
    const faster = (speed_ups[k] ?? 0) - (speed_ups[i] ?? 0);
    const color = faster < -1 ? COLOURS.bad : faster > 1 ? COLOURS.good : COLOURS.ai;
    art
      .poly([x_u[i]!, y_u[i]!, x_u[k]!, y_u[k]!], false)
      .stroke({ width: 0.9 * pen(track), color, alpha: 0.8 });
  }
  return art;
}

export function softDisc(): Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext('2d')!;
  const fade = pen.createRadialGradient(16, 16, 0, 16, 16, 16);
  fade.addColorStop(0, 'rgba(255,255,255,1)');
  fade.addColorStop(1, 'rgba(255,255,255,0)');
  pen.fillStyle = fade;
  pen.fillRect(0, 0, 32, 32);
  return Texture.from(canvas);
}
