/** Where everybody was throughout a race, in bounded memory: of a long race the last minutes are kept. */
import type { Pose } from './poses';

/** Numbers of a pose that are kept, in their order. */
const KEPT = ['x', 'y', 'heading', 'speed', 'frontAngle', 'slide', 'throttle', 'brake', 'surface'] as const;
const GONE = KEPT.length;
const WIDTH = KEPT.length + 1;
/** Every second tick is kept: between them cars move on straight enough. */
export const EVERY_TICKS = 2;
const CHUNK_ROWS = 300;
const MOST_BYTES = 4_000_000;

export class Recording {
  /** The last tick that was seen; the first is that of the grid, 0. */
  last = -1;
  private chunks: Float32Array[] = [];
  private dropped = 0;
  private readonly mostChunks: number;

  constructor(private readonly cars: number) {
    this.mostChunks = Math.max(2, Math.floor(MOST_BYTES / this.chunkBytes));
  }

  /** The first tick that is still there. */
  get first(): number {
    return this.dropped * CHUNK_ROWS * EVERY_TICKS;
  }

  get bytes(): number {
    return this.chunks.length * this.chunkBytes;
  }

  /** A tick was driven. */
  add(poses: Pose[]): void {
    this.last += 1;
    if (this.last % EVERY_TICKS > 0) return;
    const row = this.last / EVERY_TICKS;
    if (row % CHUNK_ROWS === 0) this.chunks.push(new Float32Array(this.chunkBytes / 4));
    if (this.chunks.length > this.mostChunks) {
      this.chunks.shift();
      this.dropped += 1;
    }
    const chunk = this.chunks.at(-1)!;
    for (const [car, pose] of poses.entries()) this.write(chunk, this.offset(row, car), pose);
  }

  /** A car at a tick, or at the one before it that is kept. */
  read(tick: number, car: number, out: Pose): Pose {
    const kept = Math.max(this.first, Math.min(this.last, tick));
    const row = Math.floor(kept / EVERY_TICKS);
    const chunk = this.chunks[Math.floor(row / CHUNK_ROWS) - this.dropped]!;
    const at = this.offset(row, car);
    for (const [n, field] of KEPT.entries()) out[field] = chunk[at + n]!;
    out.gone = chunk[at + GONE] === 1;
    out.vx = out.speed * Math.cos(out.heading);
    out.vy = out.speed * Math.sin(out.heading);
    return out;
  }

  private get chunkBytes(): number {
    return 4 * CHUNK_ROWS * this.cars * WIDTH;
  }

  private offset(row: number, car: number): number {
    return ((row % CHUNK_ROWS) * this.cars + car) * WIDTH;
  }

  private write(chunk: Float32Array, at: number, pose: Pose): void {
    for (const [n, field] of KEPT.entries()) chunk[at + n] = pose[field];
    chunk[at + GONE] = Number(pose.gone);
  }
}
