/** What stands beside a track, placed by the track alone: the same trees, stands and boards on every visit. */
import type { Point, TrackFile } from '../site/data';

export type Kind = 'tree' | 'bush' | 'stand' | 'board' | 'lamp';

export interface Standing {
  kind: Kind;
  x: number;
  y: number;
  /** Half its length, in units. */
  size: number;
  /** Along the road beside it. */
  angle: number;
  /** Between 0 and 1, for its colour. */
  shade: number;
}

const MOST_TREES = 520;
const MARGIN_U = 110;
/** How far woods and clearings reach, in units. */
const WOOD_U = 95;
const LAMP_EVERY_U = 130;
const BOARD_EVERY_U = 26;
const STANDS_PER_STRETCH = 4;
/** How far apart the spots of the road are that a place must keep away from. */
const SAMPLE_U = 3;

/** Numbers between 0 and 1 that follow from a text. */
export function dice(text: string): () => number {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0)!, 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function trackside(track: TrackFile): Standing[] {
  const roll = dice(track.id);
  const free = clearanceOf(track);
  const built = [...stands(track), ...boards(track), ...lamps(track)].filter((one) =>
    ends(one).every(([x, y]) => free(x, y, 0.5)),
  );
  const beside = (x: number, y: number) =>
    built.every((one) => Math.hypot(one.x - x, one.y - y) > (one.kind === 'board' ? 1.1 : 2) * one.size);
  const grown = trees(track, roll).filter(({ x, y, size }) => free(x, y, size) && beside(x, y));
  return [...built, ...grown.slice(0, MOST_TREES)];
}

/** The places that must be beyond the walls: a board is long and thin. */
export function ends({ kind, x, y, size, angle }: Standing): Point[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return (kind === 'board' ? [-size, 0, size] : [0]).map((along) => [x + along * cos, y + along * sin]);
}

/** Things are smaller where the road is, at true scale. */
function scaleOf(track: TrackFile): number {
  return track.true_scale ? 0.5 : 1;
}

/** Whether something of a size fits in a place beyond the walls. */
function clearanceOf(track: TrackFile): (x: number, y: number, size: number) => boolean {
  const { centre, inner_wall, outer_wall } = track.lines;
  const stride = Math.max(1, Math.floor((SAMPLE_U * centre.length) / track.length_u));
  const samples = centre.flatMap(([x, y], i) => {
    if (i % stride !== 0) return [];
    const [ox, oy] = [outer_wall[i]![0] - x, outer_wall[i]![1] - y];
    const inner = Math.hypot(inner_wall[i]![0] - x, inner_wall[i]![1] - y);
    return [{ x, y, ox, oy, outer: Math.hypot(ox, oy), inner }];
  });
  return (x, y, size) => {
    for (const sample of samples) {
      const [dx, dy] = [x - sample.x, y - sample.y];
      const reach = (dx * sample.ox + dy * sample.oy > 0 ? sample.outer : sample.inner) + size;
      if (dx * dx + dy * dy < reach * reach) return false;
    }
    return true;
  };
}

function trees(track: TrackFile, roll: () => number): Standing[] {
  const [left, bottom, right, top] = edges(track.lines.outer_wall);
  const scale = scaleOf(track);
  const wood = WOOD_U * (track.true_scale ? 0.7 : 1);
  const phase = [roll() * 6, roll() * 6];
  const found: Standing[] = [];
  for (let i = 0; i < 6 * MOST_TREES; i++) {
    const x = left - MARGIN_U + roll() * (right - left + 2 * MARGIN_U);
    const y = bottom - MARGIN_U + roll() * (top - bottom + 2 * MARGIN_U);
    const dense =
      Math.sin(x / wood + phase[0]!) + Math.sin(y / wood + phase[1]!) + Math.sin((x - y) / (1.7 * wood));
    const kind = roll() < 0.2 ? 'bush' : 'tree';
    const size = (kind === 'bush' ? 2 + 2 * roll() : 5 + 4.5 * roll()) * scale;
    const shade = roll();
    if (dense > 2.2 * roll() - 0.6) found.push({ kind, x, y, size, angle: 6.283 * roll(), shade });
  }
  return found;
}

/** Stands along the start, on the outer side, and boards and lamps all around. */
function stands(track: TrackFile): Standing[] {
  const size = 17 * scaleOf(track);
  const spacing = track.length_u / track.lines.centre.length;
  const step = Math.max(1, Math.round((2.3 * size) / spacing));
  return Array.from({ length: STANDS_PER_STRETCH }, (_, i) => {
    const place = (i - STANDS_PER_STRETCH / 2) * step;
    return behind(track, place, 0.75 * size, { kind: 'stand', size, shade: i / STANDS_PER_STRETCH });
  });
}

function boards(track: TrackFile): Standing[] {
  // Four of them make one long hoarding: single boards look like cars.
  const every = BOARD_EVERY_U * scaleOf(track);
  const size = 0.46 * every;
  const count = Math.floor(track.length_u / every);
  const near = Array.from({ length: count }, (_, i) => i).filter((i) => i % 9 < 4);
  return near.map((i) =>
    behind(track, Math.round((i / count) * track.lines.centre.length), 2.5 * scaleOf(track), {
      kind: 'board',
      size,
      shade: (i % 3) / 3,
    }),
  );
}

function lamps(track: TrackFile): Standing[] {
  const count = Math.max(6, Math.round(track.length_u / (LAMP_EVERY_U * scaleOf(track))));
  return Array.from({ length: count }, (_, i) =>
    behind(track, Math.round(((i + 0.5) / count) * track.lines.centre.length), 2.5, {
      kind: 'lamp',
      size: 1.4 * scaleOf(track),
      shade: 0,
    }),
  );
}

/** Something so far behind the outer wall at a sample of the centre line. */
function behind(
  track: TrackFile,
  place: number,
  distance: number,
  what: Pick<Standing, 'kind' | 'size' | 'shade'>,
): Standing {
  const { centre, outer_wall } = track.lines;
  const i = ((place % centre.length) + centre.length) % centre.length;
  const [cx, cy] = centre[i]!;
  const [wx, wy] = outer_wall[i]!;
  const [nx, ny] = centre[(i + 1) % centre.length]!;
  const length = Math.hypot(wx - cx, wy - cy) || 1;
  const out = 1 + distance / length;
  return {
    ...what,
    x: cx + (wx - cx) * out,
    y: cy + (wy - cy) * out,
    angle: Math.atan2(ny - cy, nx - cx),
  };
}

function edges(points: Point[]): [number, number, number, number] {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
