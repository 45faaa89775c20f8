/** Trees, stands, boards and lamps from above, with the shadows of one sun or the light of many lamps. */
import { Container, Graphics, Sprite, type Texture } from 'pixi.js';
import type { TrackFile } from '../site/data';
import { COLOURS, type Scenery } from './palette';
import { dice, type Standing, trackside } from './trackside';

/** Where shadows fall, in lengths of what throws them. */
const SHADOW = { x: 0.45, y: -0.6 };
const BOARD_COLOURS = [COLOURS.you, COLOURS.ai, 0xf2f5fa];
const CROWD = [0xe9edf4, COLOURS.you, COLOURS.ai, COLOURS.bad, 0x6f7fd6, 0x2b3442];
/** How deep a board is, as a share of its length. */
const BOARD_DEPTH = 0.055;
const LAMP_REACH_U = 46;

export function drawTrackside(track: TrackFile, scenery: Scenery, disc: Texture): Container {
  const all = trackside(track);
  const of = (...kinds: Standing['kind'][]) => all.filter(({ kind }) => kinds.includes(kind));
  const group = new Container();
  group.addChild(shadows(all, scenery));
  const art = new Graphics();
  for (const board of of('board')) drawBoard(art, board);
  for (const stand of of('stand')) drawStand(art, stand, track.id);
  group.addChild(art, plants(of('tree', 'bush'), scenery));
  if (scenery.lamps) group.addChild(lampLight(of('lamp'), track, disc));
  return group;
}

function shadows(all: Standing[], { shadow }: Scenery): Graphics {
  const art = new Graphics();
  for (const { kind, x, y, size, angle } of all) {
    const tall = kind === 'stand' ? 0.35 : kind === 'board' ? 0.1 : 1;
    const [sx, sy] = [x + SHADOW.x * size * tall, y + SHADOW.y * size * tall];
    if (kind === 'tree' || kind === 'bush') art.circle(sx, sy, size);
    else if (kind !== 'lamp')
      art.poly(corners(sx, sy, size, kind === 'stand' ? 0.42 * size : BOARD_DEPTH * size, angle));
  }
  return art.fill({ color: 0x000000, alpha: shadow });
}

/** Crowns in two tones; all of a tone are one path, since a path costs more than its corners. */
function plants(all: Standing[], { trees }: Scenery): Graphics {
  const art = new Graphics();
  for (const [tone, [dark, light]] of trees.entries()) {
    const mine = all.filter(({ shade }) => Math.floor(shade * trees.length) === tone);
    if (mine.length === 0) continue;
    for (const { x, y, size } of mine) art.circle(x, y, size);
    art.fill(dark);
    for (const { x, y, size } of mine) art.circle(x - 0.22 * size, y + 0.25 * size, 0.62 * size);
    art.fill(light);
  }
  return art;
}

function drawBoard(art: Graphics, { x, y, size, angle, shade }: Standing): void {
  art.poly(corners(x, y, size, BOARD_DEPTH * size, angle)).fill(0x10151c);
  art
    .poly(corners(x, y, 0.97 * size, 0.5 * BOARD_DEPTH * size, angle))
    .fill(BOARD_COLOURS[Math.floor(shade * 3)]!);
}

/** Rows of people under the sky. */
function drawStand(art: Graphics, stand: Standing, seed: string): void {
  const { x, y, size, angle, shade } = stand;
  const deep = 0.42 * size;
  art.poly(corners(x, y, size, deep, angle)).fill(0x767f8d);
  art.poly(corners(x, y, 0.97 * size, 0.86 * deep, angle)).fill(0x3a4250);
  const roll = dice(`${seed}${shade}`);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const people = CROWD.map((): [number, number][] => []);
  for (let row = -2; row <= 2; row++)
    for (let seat = -14; seat <= 14; seat++) {
      if (roll() < 0.2) continue;
      const [along, across] = [(seat / 15) * size, (row / 3) * deep];
      people[Math.floor(roll() * CROWD.length)]!.push([
        x + cos * along - sin * across,
        y + sin * along + cos * across,
      ]);
    }
  for (const [colour, seats] of people.entries()) {
    for (const [px, py] of seats) art.circle(px, py, 0.024 * size);
    art.fill(CROWD[colour]!);
  }
}

/** Pools of light on road and grass. */
function lampLight(lamps: Standing[], track: TrackFile, disc: Texture): Container {
  const group = new Container();
  const reach = LAMP_REACH_U * (track.true_scale ? 0.6 : 1);
  for (const { x, y } of lamps) {
    const pool = new Sprite(disc);
    pool.anchor.set(0.5);
    pool.position.set(x, y);
    pool.scale.set((2 * reach) / disc.width);
    pool.tint = 0xfff0c8;
    pool.alpha = 0.2;
    group.addChild(pool);
  }
  const bulbs = new Graphics();
  for (const { x, y, size } of lamps) bulbs.circle(x, y, size);
  group.addChild(bulbs.fill(0xfff6dd));
  return group;
}

function corners(x: number, y: number, along: number, across: number, angle: number): number[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [
    [1, 1],
    [1, -1],
    [-1, -1],
    [-1, 1],
  ].flatMap(([a, b]) => [x + cos * a! * along - sin * b! * across, y + sin * a! * along + cos * b! * across]);
}
