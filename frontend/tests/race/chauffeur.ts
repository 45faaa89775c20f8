/** A plain driver for tests: aims at the centre line ahead, and brakes never. */

import type { Controls } from '../../src/physics/kernel';
import type { Pose } from '../../src/race/poses';
import type { Track } from '../../src/site/data';

export function chauffeur(track: Track, pose: Pose, topSpeed = 90): Controls {
  const { centre } = track.file.lines;
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [number, [x, y]] of centre.entries()) {
    const distance = (x - pose.x) ** 2 + (y - pose.y) ** 2;
    if (distance < least) [least, nearest] = [distance, number];
  }
  const spacing = track.file.length_u / centre.length;
  const ahead = Math.round((14 + 0.12 * pose.speed) / spacing);
  const [x, y] = centre[(nearest + ahead) % centre.length]!;
  const turn = Math.atan2(y - pose.y, x - pose.x) - pose.heading;
  const steer = -4 * Math.atan2(Math.sin(turn), Math.cos(turn));
  return { steer: Math.max(-1, Math.min(1, steer)), throttle: pose.speed < topSpeed ? 1 : 0, brake: 0 };
}
