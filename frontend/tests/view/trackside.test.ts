import { describe, expect, it } from 'vitest';
import type { Point } from '../../src/site/data';
import { ends, trackside } from '../../src/view/trackside';
import { loadTrack } from '../site';

const TRACKS = ['track-01', 'track-03', 'quarry', 'ridgeway'];

describe('what stands beside a track', () => {
  it.each(TRACKS)('is the same on every visit to %s, and enough to see speed by', (id) => {
    const { file } = loadTrack(id);
    const all = trackside(file);
    expect(trackside(file)).toEqual(all);
    expect(all.filter(({ kind }) => kind === 'tree').length).toBeGreaterThan(60);
    expect(all.some(({ kind }) => kind === 'stand')).toBe(true);
    expect(all.some(({ kind }) => kind === 'board')).toBe(true);
  });

  it.each(TRACKS)('never stands between the walls of %s', (id) => {
    const { file } = loadTrack(id);
    const { centre, inner_wall, outer_wall } = file.lines;
    const far = ([ax, ay]: Point, [bx, by]: Point) => Math.hypot(ax - bx, ay - by);
    const walls = centre.map((at, i) => Math.min(far(at, inner_wall[i]!), far(at, outer_wall[i]!)));
    const inside = (place: Point) => centre.some((at, i) => far(at, place) < walls[i]!);
    expect(trackside(file).filter((one) => ends(one).some(inside))).toEqual([]);
  });

  it('differs from track to track', () => {
    expect(trackside(loadTrack('track-01').file)).not.toEqual(trackside(loadTrack('track-02').file));
  });
});
