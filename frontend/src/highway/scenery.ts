/** What the road is painted with, by day and by night. */
import type { Light } from '../site/settings';
import { css, SCENERIES } from '../view/palette';

export interface RoadScenery {
  ground: string;
  /** Beside the paved part. */
  verge: string;
  road: string;
  shoulder: string;
  edge: string;
  dashes: string;
  /** Numbers and limits on the lanes. */
  signs: string;
  hatching: string;
  trees: string[];
  treeShadow: string;
  posts: string;
  /** The lane that a mission leads to, and the ring around the ego. */
  target: string;
  ego: string;
  /** The paint of the others. */
  paints: string[];
  /** Whether headlights and tail lights are on. */
  lamps: boolean;
}

export const ROAD_SCENERIES: Record<Light, RoadScenery> = {
  day: {
    ground: css(SCENERIES.day.ground),
    verge: css(SCENERIES.day.runoff),
    road: css(SCENERIES.day.road),
    shoulder: '#4b5058',
    edge: css(SCENERIES.day.edge),
    dashes: 'rgb(244 246 250 / 85%)',
    signs: 'rgb(244 246 250 / 72%)',
    hatching: 'rgb(244 246 250 / 24%)',
    trees: SCENERIES.day.trees.map(([, light]) => css(light)),
    treeShadow: 'rgb(0 0 0 / 26%)',
    posts: '#f4f6fa',
    target: 'rgb(53 208 255 / 30%)',
    ego: 'rgb(190 240 255 / 95%)',
    paints: ['#e8ebf0', '#b8342f', '#2d5ea8', '#1d2430', '#2f7d4f', '#c9cdd3', '#6b4a8c', '#d9d2c0'],
    lamps: false,
  },
  night: {
    ground: '#0c1210',
    verge: '#171c23',
    road: css(SCENERIES.night.road),
    shoulder: '#1d232b',
    edge: css(SCENERIES.night.edge),
    dashes: 'rgb(214 222 234 / 62%)',
    signs: 'rgb(214 222 234 / 52%)',
    hatching: 'rgb(214 222 234 / 13%)',
    trees: ['#14241c', '#182b20', '#1c3325', '#16281f'],
    treeShadow: 'rgb(0 0 0 / 35%)',
    posts: '#c8d2de',
    target: 'rgb(53 208 255 / 15%)',
    ego: 'rgb(53 208 255 / 55%)',
    paints: ['#8fa3bf', '#6f86a8', '#b7c0cc', '#7c6f8f', '#9a8f7d', '#5f7f86', '#a86f6f', '#c9cdd3'],
    lamps: true,
  },
};
