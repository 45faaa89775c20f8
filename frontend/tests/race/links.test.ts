import { describe, expect, it } from 'vitest';
import { TAPE } from '../../src/physics/numbers';
import type { Catalogue } from '../../src/race/catalogue';
import { addressOf, LinkError, linkOf, type RaceLink, settingsOf } from '../../src/race/links';
import { MOST_LETTERS, packDrive, unpackDrive } from '../../src/race/packed-drive';
import { type RecordedDrive, toBase64 } from '../../src/race/tape';
import { FULL_STRENGTH, MIXED_LEVELS } from '../../src/site/settings';

const PAGE = 'https://example.org/game/';
const catalogue = {
  site: { server: true },
  tracks: [
    { id: 'track-01', name: 'Circuit', cars: ['classic'] },
    { id: 'quarry', name: 'Quarry', cars: ['gt'] },
  ],
  policy: (key: string) => (key === 'abc123' ? { key } : null),
  list: { levels: [{ late_ticks: 2, throttle: 0.3 }] },
} as unknown as Catalogue;

const held = (ticks: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(ticks * TAPE.bytes_per_tick);
  for (let i = 0; i < ticks; i++) bytes.set([(i >> 5) & 1 ? 127 : 0, 255, 0], i * TAPE.bytes_per_tick);
  return bytes;
};
const drive: RecordedDrive = {
  inputs: toBase64(held(5178)),
  respawns: [300, 4000],
  assists: { traction: true, antiLock: false },
};
const link: RaceLink = {
  track: 'quarry',
  car: 'gt',
  driver: 'abc123',
  laps: 2,
  challenge: { by: 'Ada', ticks: 5178, lap: 2, ghost: null, drive },
};

describe('links to a race', () => {
  it('carry track, car, driver and the lap to beat, there and back', async () => {
    const address = await addressOf(PAGE, link);
    expect(address.length).toBeLessThan(2000);
    expect(await linkOf(address, catalogue)).toEqual(link);
  });

  it('name a lap of the board instead of carrying it', async () => {
    const short = { ...link, challenge: { ...link.challenge!, ghost: 'lap-7', drive: null } };
    const address = await addressOf(PAGE, short);
    expect(address).not.toContain('#');
    expect(await linkOf(address, catalogue)).toEqual(short);
  });

  it.each([1, MIXED_LEVELS])('carry the strength of the machines: %s', async (strength) => {
    const levelled = { ...link, challenge: null, strength };
    const found = await linkOf(await addressOf(PAGE, levelled), catalogue);
    expect(found).toEqual(levelled);
    expect(settingsOf(found!).strength).toBe(strength);
    expect(settingsOf({ ...levelled, strength: undefined }).strength).toBe(FULL_STRENGTH);
  });

  it('ask for nothing when nothing is in them', async () => {
    expect(await linkOf(`${PAGE}?renderer=canvas#drive=AAAA`, catalogue)).toBeNull();
  });

  it.each([
    ['another track', '?track=nowhere'],
    ['a path for a track', '?track=../../etc/passwd'],
    ['a car that does not drive there', '?track=track-01&car=gt'],
    ['a driver who is gone', '?track=track-01&driver=gone'],
    ['a path for a driver', '?track=track-01&driver=..%2F..%2Fsecret'],
    ['a path for a lap', '?track=track-01&beat=400&ghost=..%2Fruns'],
    ['no number of laps', '?track=track-01&laps=1e99'],
    ['a level that is not', '?track=track-01&level=2'],
    ['a lap longer than any', '?track=track-01&beat=999999'],
    ['a damaged drive', '?track=track-01&beat=400#drive=!!!!'],
    ['far too much', `?track=track-01&by=${'x'.repeat(5000)}`],
  ])('are refused politely: %s', async (_, query) => {
    await expect(linkOf(PAGE + query, catalogue)).rejects.toThrow(LinkError);
  });

  it('cut names of strangers to one short line', async () => {
    const found = await linkOf(`${PAGE}?track=track-01&beat=400&by=${'a%0A'.repeat(40)}`, catalogue);
    expect(found?.challenge?.by).toHaveLength(24);
    expect(found?.challenge?.by).not.toContain('\n');
  });
});

describe('a drive in an address', () => {
  it('comes out as it went in', async () => {
    expect(await unpackDrive((await packDrive(drive))!)).toEqual(drive);
  });

  it('is not packed when messengers would cut it', async () => {
    const noise = crypto.getRandomValues(new Uint8Array(3 * 9000));
    expect(await packDrive({ inputs: toBase64(noise), respawns: [] })).toBeNull();
  });

  it('is refused when a few letters claim to be a drive of hours', async () => {
    const bomb = await packDrive({ inputs: toBase64(held(2 * TAPE.most_ticks)), respawns: [] });
    expect(bomb!.length).toBeLessThan(MOST_LETTERS);
    expect(await unpackDrive(bomb!)).toBeNull();
  });

  it.each(['', 'AAAA', '-_-_', 'x'.repeat(MOST_LETTERS + 1)])('is refused when it is none', async (text) => {
    expect(await unpackDrive(text)).toBeNull();
  });
});
