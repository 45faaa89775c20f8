/** A recorded drive as text for an address: packed small, and unpacked only within bounds. */
import type { Assists } from '../physics/cars';
import { TAPE } from '../physics/numbers';
import { fromBase64, type RecordedDrive, toBase64 } from './tape';

/** Longer ones do not survive messengers. */
export const MOST_LETTERS = 12_000;
const HEAD_BYTES = 2;
const RESPAWN_BYTES = 2;
const TRACTION = 1;
const ANTI_LOCK = 2;

/** The drive as letters, digits, - and _; null when it is too long for an address. */
export async function packDrive(drive: RecordedDrive): Promise<string | null> {
  const packed = await through(new CompressionStream('deflate-raw'), bytesOf(drive));
  const text = toBase64(packed).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  return text.length <= MOST_LETTERS ? text : null;
}

/** The drive behind such a text; null for anything else, however large it claims to be. */
export async function unpackDrive(text: string): Promise<RecordedDrive | null> {
  if (text.length > MOST_LETTERS || !/^[\w-]+$/.test(text)) return null;
  const most = HEAD_BYTES + RESPAWN_BYTES * TAPE.most_respawns + TAPE.bytes_per_tick * TAPE.most_ticks;
  try {
    const packed = fromBase64(text.replace(/-/g, '+').replace(/_/g, '/'));
    return driveOf(await through(new DecompressionStream('deflate-raw'), packed, most));
  } catch {
    return null;
  }
}

/** What helped, how often and before which ticks the car was put back, then three bytes a tick. */
function bytesOf({ inputs, respawns, assists }: RecordedDrive): Uint8Array<ArrayBuffer> {
  const ticks = fromBase64(inputs);
  const bytes = new Uint8Array(HEAD_BYTES + RESPAWN_BYTES * respawns.length + ticks.length);
  bytes[0] = (assists?.traction ? TRACTION : 0) | (assists?.antiLock ? ANTI_LOCK : 0);
  bytes[1] = respawns.length;
  const view = new DataView(bytes.buffer);
  for (const [i, tick] of respawns.entries()) view.setUint16(HEAD_BYTES + RESPAWN_BYTES * i, tick, true);
  bytes.set(ticks, bytes.length - ticks.length);
  return bytes;
}

function driveOf(bytes: Uint8Array<ArrayBuffer>): RecordedDrive | null {
  const [help = 0, count = 0] = bytes;
  const from = HEAD_BYTES + RESPAWN_BYTES * count;
  const ticks = (bytes.length - from) / TAPE.bytes_per_tick;
  if (count > TAPE.most_respawns || !Number.isInteger(ticks) || ticks < 1 || ticks > TAPE.most_ticks)
    return null;
  const view = new DataView(bytes.buffer);
  const respawns = Array.from({ length: count }, (_, i) =>
    view.getUint16(HEAD_BYTES + RESPAWN_BYTES * i, true),
  );
  const assists: Assists = { traction: (help & TRACTION) !== 0, antiLock: (help & ANTI_LOCK) !== 0 };
  return { inputs: toBase64(bytes.subarray(from)), respawns, assists };
}

/** All that comes out of a stream; an error as soon as that is more than `most` bytes. */
async function through(
  stream: CompressionStream | DecompressionStream,
  content: Uint8Array<ArrayBuffer>,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([content]).stream().pipeThrough(stream).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > most) {
      void reader.cancel();
      throw new RangeError('more than a drive can be');
    }
    pieces.push(part.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
