/** The area between two lines along a track, in pieces: as one polygon a circuit that crosses itself would have holes. */
import type { Point } from '../site/data';

const PIECE = 24;

/** Polygons that cover it, each a sample longer than its part, so that no seam shows. */
export function strips(outer: Point[], inner: Point[]): Point[][] {
  const pieces: Point[][] = [];
  for (let from = 0; from < outer.length - 1; from += PIECE) {
    const to = Math.min(from + PIECE + 2, outer.length);
    pieces.push([...outer.slice(from, to), ...inner.slice(from, to).reverse()]);
  }
  return pieces;
}
