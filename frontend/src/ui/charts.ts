/** Drawings in SVG: curves over an axis, and laps over a track. */
import type { Point, TrackFile, TrackSummary } from '../site/data';
import { strips } from '../view/strips';
import { svg } from './dom';

export interface Series {
  label: string;
  className: string;
  points: Point[];
}

export interface ChartOptions {
  label: string;
  series: Series[];
  unit: string;
  /** Vertical marks with a name. */
  marks?: { at: number; name: string }[];
  zeroLine?: boolean;
  /** The horizontal axis, where marks do not say enough. */
  across?: { unit: string; format: (value: number) => string };
  format?: (value: number) => string;
}

const WIDTH = 430;
const HEIGHT = 160;
const LEFT = 46;
const BOTTOM = 20;
const TOP = 14;
/** What the unit of the horizontal axis takes of its right end. */
const UNIT_ROOM = 62;
const THUMBNAIL_ROAD = 0.035;

/** Curves over a common horizontal axis. */
export function chart(options: ChartOptions): SVGSVGElement {
  const all = options.series.flatMap(({ points }) => points);
  const root = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'chart',
    role: 'img',
    'aria-label': options.label,
  });
  if (all.length === 0) return root;
  const [left, right] = range(
    all.map(([x]) => x),
    0,
  );
  const [low, high] = range(
    all.map(([, y]) => y),
    0.06,
  );
  const x = (value: number) => LEFT + ((value - left) / (right - left)) * (WIDTH - LEFT - 6);
  const y = (value: number) => HEIGHT - BOTTOM - ((value - low) / (high - low)) * (HEIGHT - BOTTOM - TOP);
  for (const { at, name } of options.marks ?? []) {
    root.append(svg('line', { class: 'mark', x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }));
    root.append(svg('text', { class: 'mark-name', x: x(at), y: HEIGHT - 6, 'text-anchor': 'middle' }, name));
  }
  for (const value of steps(low, high)) {
    const format = options.format ?? ((number: number) => String(Math.round(number * 100) / 100));
    root.append(svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - 6, y1: y(value), y2: y(value) }));
    root.append(
      svg('text', { class: 'axis', x: LEFT - 6, y: y(value) + 3.5, 'text-anchor': 'end' }, format(value)),
    );
  }
  for (const value of options.across ? steps(left, right) : []) {
    const text = options.across!.format(value);
    root.append(svg('line', { class: 'grid', x1: x(value), x2: x(value), y1: TOP, y2: HEIGHT - BOTTOM }));
    if (x(value) < WIDTH - UNIT_ROOM)
      root.append(svg('text', { class: 'axis', x: x(value), y: HEIGHT - 6, 'text-anchor': 'middle' }, text));
  }
  if (options.across)
    root.append(
      svg('text', { class: 'axis', x: WIDTH - 6, y: HEIGHT - 6, 'text-anchor': 'end' }, options.across.unit),
    );
  if (options.zeroLine && low < 0 && high > 0)
    root.append(svg('line', { class: 'zero', x1: LEFT, x2: WIDTH - 6, y1: y(0), y2: y(0) }));
  for (const { className, points } of options.series)
    root.append(
      svg('polyline', { class: `curve ${className}`, points: path(points.map((p) => [x(p[0]), y(p[1])])) }),
    );
  root.append(svg('text', { class: 'unit', x: LEFT + 4, y: TOP + 2 }, options.unit));
  return root;
}

function range(values: number[], margin: number): [number, number] {
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
  const room = (high - low) * margin;
  return [low - room, high + room];
}

/** Three or four round values between two. */
function steps(low: number, high: number): number[] {
  const rough = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const result: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step)
    result.push(Math.abs(value) < step / 1e6 ? 0 : value);
  return result;
}

function path(points: Point[]): string {
  return points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
}

/** A small picture of a track for a card. */
export function thumbnail(track: TrackSummary): SVGSVGElement {
  const points = track.outline.map(([x, y]): Point => [x, -y]);
  const [, , across, along] = box(points, 0);
  // A long circuit is drawn wider than it is, or nothing would be seen of its road.
  const road = Math.max(2 * track.half_width_u, THUMBNAIL_ROAD * Math.max(across, along));
  const [x, y, width, height] = box(points, 1.1 * road);
  const [sx, sy] = points[0]!;
  return svg(
    'svg',
    { viewBox: `${x} ${y} ${width} ${height}`, class: 'thumbnail', 'aria-hidden': 'true' },
    svg('polygon', { class: 'thumbnail-edge', points: path(points), 'stroke-width': road * 1.25 }),
    svg('polygon', { class: 'thumbnail-road', points: path(points), 'stroke-width': road * 0.8 }),
    svg('circle', { class: 'thumbnail-start', cx: sx, cy: sy, r: road * 0.55 }),
  );
}

function box(points: Point[], margin: number): [number, number, number, number] {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  return [left, top, Math.max(...xs) + margin - left, Math.max(...ys) + margin - top];
}

export interface LineMap {
  root: SVGSVGElement;
  /** Look closer at a place, or at everything again. */
  zoom(place: Point | null): void;
}

/** Driven lines over the road. */
export function lineMap(track: TrackFile, series: Series[]): LineMap {
  const flip = (points: Point[]) => points.map(([x, y]): Point => [x, -y]);
  const all = box(flip(track.lines.outer_road_edge), 14);
  const root = svg('svg', {
    class: 'line-map',
    role: 'img',
    'aria-label': 'The lines driven, over the track',
  });
  for (const piece of strips(flip(track.lines.outer_road_edge), flip(track.lines.inner_road_edge)))
    root.append(svg('polygon', { class: 'map-road', points: path(piece) }));
  for (const edge of [track.lines.outer_road_edge, track.lines.inner_road_edge])
    root.append(svg('polygon', { class: 'map-edge', points: path(flip(edge)) }));
  const [ax, ay] = track.gates.left[0]!;
  const [bx, by] = track.gates.right[0]!;
  root.append(svg('line', { class: 'map-start', x1: ax, y1: -ay, x2: bx, y2: -by }));
  for (const { className, points } of series)
    root.append(svg('polyline', { class: `map-line ${className}`, points: path(flip(points)) }));
  const zoom = (place: Point | null) => {
    const closer = place ? [place[0] - 70, -place[1] - 45, 140, 90] : all;
    root.setAttribute('viewBox', closer.map((value) => value.toFixed(1)).join(' '));
  };
  zoom(null);
  return { root, zoom };
}
