/** The turns of a track, found on its centre line and numbered from the start. */
import type { Point, TrackFile } from '../site/data';

export interface Turn {
  number: number;
  /** Where it begins, is sharpest and ends, as distance along the lap. */
  from: number;
  apex: number;
  to: number;
  side: 'left' | 'right';
}

const SMOOTHING_U = 18;
const BEND_PER_U = 1 / 260;
const LEAST_ANGLE_RAD = 0.3;
const JOIN_U = 20;

/** Pieces of road that bend one way, sharply enough and far enough to be called a turn. */
export function findTurns(track: TrackFile): Turn[] {
  const { centre } = track.lines;
  const spacing = track.length_u / centre.length;
  const bends = smoothedBends(centre, spacing);
  const found = endedAtTheLine(joined(runs(bends), spacing), centre.length);
  const turns = found.filter(
    ({ first, last }) => Math.abs(sum(bends, first, last)) * spacing > LEAST_ANGLE_RAD,
  );
  return turns.map(({ first, last }, number) => ({
    number: number + 1,
    from: first * spacing,
    apex: sharpest(bends, first, last) * spacing,
    to: (last + 1) * spacing,
    side: sum(bends, first, last) > 0 ? 'left' : 'right',
  }));
}

/** Change of direction per unit at every sample of the centre line, averaged over a few car lengths. */
export function smoothedBends(centre: Point[], spacing: number): number[] {
  const count = centre.length;
  const heading = (i: number) => {
    const [ax, ay] = centre[i % count]!;
    const [bx, by] = centre[(i + 1) % count]!;
    return Math.atan2(by - ay, bx - ax);
  };
  const raw = centre.map((_, i) => {
    const turn = heading(i) - heading((i + count - 1) % count);
    return Math.atan2(Math.sin(turn), Math.cos(turn)) / spacing;
  });
  const reach = Math.max(1, Math.round(SMOOTHING_U / spacing));
  return raw.map((_, i) => {
    let total = 0;
    for (let k = -reach; k <= reach; k++) total += raw[(i + k + count) % count]!;
    return total / (2 * reach + 1);
  });
}

interface Run {
  first: number;
  last: number;
  sign: number;
}

function runs(bends: number[]): Run[] {
  const found: Run[] = [];
  for (const [i, bend] of bends.entries()) {
    if (Math.abs(bend) < BEND_PER_U) continue;
    const open = found.at(-1);
    if (open && open.last === i - 1 && open.sign === Math.sign(bend)) open.last = i;
    else found.push({ first: i, last: i, sign: Math.sign(bend) });
  }
  return found;
}

function joined(found: Run[], spacing: number): Run[] {
  const result: Run[] = [];
  for (const run of found) {
    const open = result.at(-1);
    if (open && open.sign === run.sign && (run.first - open.last) * spacing < JOIN_U) open.last = run.last;
    else result.push({ ...run });
  }
  return result;
}

/** A turn over the start line counts as the last one of the lap. */
function endedAtTheLine(turns: Run[], count: number): Run[] {
  const [first, last] = [turns[0], turns.at(-1)];
  const over = first && last && first !== last && first.first === 0 && last.last === count - 1;
  return over && first.sign === last.sign ? turns.slice(1) : turns;
}

function sum(values: number[], first: number, last: number): number {
  let total = 0;
  for (let i = first; i <= last; i++) total += values[i]!;
  return total;
}

function sharpest(bends: number[], first: number, last: number): number {
  let best = first;
  for (let i = first; i <= last; i++) if (Math.abs(bends[i]!) > Math.abs(bends[best]!)) best = i;
  return best;
}

/** Where on the lap that is, in words: in a turn, or on the way to the next one. */
export function placeName(turns: Turn[], arc: number, length: number): string {
  const inside = turns.find((turn) => arc >= turn.from && arc <= turn.to);
  if (inside) return `turn ${inside.number}`;
  const next = turns.find((turn) => turn.from > arc) ?? turns[0];
  return next ? `before turn ${next.number}` : `${Math.round((100 * arc) / length)} % of the lap`;
}
