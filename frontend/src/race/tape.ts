/** What a person did, three bytes a tick, so that anybody's kernel can drive it again. */
import type { Assists } from '../physics/cars';
import type { Controls } from '../physics/kernel';
import { TAPE } from '../physics/numbers';

/** A drive as it travels: base64 of the bytes, and before which ticks the car was put back. */
export interface RecordedDrive {
  inputs: string;
  respawns: number[];
  /** Of a car with grip: what helped. */
  assists?: Assists;
}

const clamped = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** The nearest controls that three bytes can say; what is driven is what is recorded. */
export function quantised(wanted: Controls): Controls {
  return {
    steer: Math.round(clamped(wanted.steer, -1, 1) * 127) / 127,
    throttle: Math.round(clamped(wanted.throttle, 0, 1) * 255) / 255,
    brake: Math.round(clamped(wanted.brake, 0, 1) * 255) / 255,
  };
}

/** A recording of one car from the grid on. */
export class Tape {
  readonly respawns: number[] = [];
  ticks = 0;
  private bytes = new Uint8Array(TAPE.bytes_per_tick * 1024);

  record(controls: Controls): void {
    if (this.ticks >= TAPE.most_ticks) {
      this.ticks += 1;
      return;
    }
    const at = this.ticks * TAPE.bytes_per_tick;
    if (at + TAPE.bytes_per_tick > this.bytes.length) this.grow();
    this.bytes[at] = Math.round(controls.steer * 127) & 0xff;
    this.bytes[at + 1] = Math.round(controls.throttle * 255);
    this.bytes[at + 2] = Math.round(controls.brake * 255);
    this.ticks += 1;
  }

  markRespawn(): void {
    this.respawns.push(this.ticks);
  }

  /** The drive up to now, or null when it is too long for the board. */
  drive(): RecordedDrive | null {
    if (this.ticks > TAPE.most_ticks || this.respawns.length > TAPE.most_respawns) return null;
    return {
      inputs: toBase64(this.bytes.subarray(0, this.ticks * TAPE.bytes_per_tick)),
      respawns: [...this.respawns],
    };
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

/** Plays a drive back, tick by tick; the race puts the car back where the recording says it was. */
export class TapePlayer {
  tick = 0;
  readonly ticks: number;
  private readonly bytes: Uint8Array;

  constructor(drive: RecordedDrive) {
    this.bytes = fromBase64(drive.inputs);
    this.ticks = Math.floor(this.bytes.length / TAPE.bytes_per_tick);
  }

  get ended(): boolean {
    return this.tick >= this.ticks;
  }

  next(): Controls {
    const at = this.tick * TAPE.bytes_per_tick;
    this.tick += 1;
    return {
      steer: ((this.bytes[at]! << 24) >> 24) / 127,
      throttle: this.bytes[at + 1]! / 255,
      brake: this.bytes[at + 2]! / 255,
    };
  }
}

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(pieces.join(''));
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
