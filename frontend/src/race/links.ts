/** A race as an address: which track, car, driver and ghost; and back, where nothing is taken on trust. */

import { TAPE } from '../physics/numbers';
import {
  FULL_STRENGTH,
  MIXED_LEVELS,
  MOST_OPPONENTS,
  ORDERS,
  type Settings,
  type StartOrder,
} from '../site/settings';
import type { BoardLap } from './board';
import type { Catalogue } from './catalogue';
import { packDrive, unpackDrive } from './packed-drive';
import type { RecordedDrive } from './tape';

const MOST_QUERY = 600;
const MOST_LAPS = 100;
const ID = /^[\w.:-]{1,80}$/;
/** Seeds that a link can carry. */
export const MOST_SEED = 1_000_000;
const FIELDS = [
  ...['track', 'car', 'driver', 'laps', 'beat', 'lap', 'by', 'ghost'],
  ...['rivals', 'start', 'seed', 'watch', 'level'],
] as const;
const DRIVE = '#drive=';
const MIXED = 'mixed';

/** A lap to beat. */
export interface Challenge {
  /** Whose it is. */
  by: string;
  ticks: number;
  /** Which lap of a drive it was; 1 is a standing start. */
  lap: number;
  /** Where the board of the server has it. */
  ghost: string | null;
  drive: RecordedDrive | null;
}

/** A grid of cars that touch each other: the same seed is the same order. */
export interface GridLink {
  opponents: number;
  order: StartOrder;
  seed: number;
  /** Whether whoever follows the link drives. */
  joins: boolean;
}

/** What an address asks for. */
export interface RaceLink {
  track: string;
  car: string;
  driver: string | null;
  laps: number;
  challenge: Challenge | null;
  grid?: GridLink;
  /** The level of the machines, or MIXED_LEVELS; without it they drive as they learned. */
  strength?: number | undefined;
}

/** An address that asks for what is not here; the message is for whoever followed it. */
export class LinkError extends Error {}

export async function addressOf(page: string, link: RaceLink): Promise<string> {
  const url = new URL(page);
  url.search = '';
  const { track, car, driver, laps, challenge, grid, strength } = link;
  const level = strength === MIXED_LEVELS ? MIXED : strength;
  const fields = { track, car, driver, laps, level, ...challengeFields(challenge), ...gridFields(grid) };
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
  const drive = challenge?.drive && !challenge.ghost ? await packDrive(challenge.drive) : null;
  url.hash = drive ? DRIVE.slice(1) + drive : '';
  return url.href;
}

function challengeFields(challenge: Challenge | null) {
  if (!challenge) return {};
  const { ticks, lap, by, ghost } = challenge;
  return { beat: ticks, lap, by, ghost };
}

function gridFields(grid: GridLink | undefined) {
  if (!grid) return {};
  const { opponents, order, seed, joins } = grid;
  return { rivals: opponents, start: order, seed, watch: joins ? null : 1 };
}

/** The race an address asks for; null when it asks for none. */
export async function linkOf(address: string, catalogue: Catalogue): Promise<RaceLink | null> {
  const url = new URL(address);
  const asked = FIELDS.filter((name) => url.searchParams.has(name));
  if (asked.length === 0) return null;
  if (url.search.length > MOST_QUERY) throw new LinkError('This link is too long to be one of ours.');
  const field = (name: string) => url.searchParams.get(name);
  const track = catalogue.tracks.find(({ id }) => id === known(field('track') ?? catalogue.tracks[0]!.id));
  if (!track) throw new LinkError('This link names a track that is not here.');
  const car = field('car') ?? track.cars[0]!;
  if (!track.cars.includes(known(car)))
    throw new LinkError(`This link names a car that does not drive ${track.name}.`);
  return {
    track: track.id,
    car,
    driver: driverOf(field('driver'), catalogue),
    laps: wholeNumber(field('laps') ?? '3', 0, MOST_LAPS),
    challenge: field('beat') === null ? null : await challengeOf(field, url.hash, catalogue),
    ...(field('rivals') === null ? {} : { grid: gridOf(field) }),
    ...(field('level') === null ? {} : { strength: strengthOf(field('level')!, catalogue) }),
  };
}

function strengthOf(level: string, { list }: Catalogue): number {
  return level === MIXED ? MIXED_LEVELS : wholeNumber(level, 1, list.levels.length);
}

function driverOf(key: string | null, catalogue: Catalogue): string | null {
  if (key === null) return null;
  const entry = catalogue.policy(known(key));
  if (!entry) throw new LinkError('This link names a driver that is not here any more.');
  return entry.key;
}

function gridOf(field: (name: string) => string | null): GridLink {
  const order = ORDERS.find((each) => each === (field('start') ?? ORDERS[0]));
  if (!order) throw new LinkError('This link is damaged: it names a start that cannot be.');
  return {
    opponents: wholeNumber(field('rivals')!, 1, MOST_OPPONENTS),
    order,
    seed: wholeNumber(field('seed') ?? '0', 0, MOST_SEED - 1),
    joins: field('watch') === null,
  };
}

async function challengeOf(
  field: (name: string) => string | null,
  hash: string,
  catalogue: Catalogue,
): Promise<Challenge> {
  const ghost = field('ghost');
  if (ghost !== null && !catalogue.site.server)
    throw new LinkError('The lap of this link is on the board of another server.');
  const drive = hash.startsWith(DRIVE) ? await unpackDrive(hash.slice(DRIVE.length)) : null;
  if (hash.startsWith(DRIVE) && !drive) throw new LinkError('The drive in this link is damaged.');
  return {
    by: nameOf(field('by') ?? ''),
    ticks: wholeNumber(field('beat')!, 1, TAPE.most_ticks),
    lap: wholeNumber(field('lap') ?? '1', 1, MOST_LAPS),
    ghost: ghost === null ? null : known(ghost),
    drive,
  };
}

/** An id as ids are written; it is looked up, and never becomes part of a path. */
function known(id: string): string {
  if (!ID.test(id)) throw new LinkError('This link is damaged: it names nothing that could be here.');
  return id;
}

function wholeNumber(text: string, least: number, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new LinkError('This link is damaged: a number in it cannot be.');
  return value;
}

function nameOf(text: string): string {
  return (
    text
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, 24) || 'somebody'
  );
}

/** The settings for the race a link asks for. */
export function settingsOf(link: RaceLink): Partial<Settings> {
  const { track, car, driver, laps, challenge, grid, strength = FULL_STRENGTH } = link;
  if (grid) {
    const { opponents, order, joins } = grid;
    const policy = driver ?? '';
    return { track, car, laps, strength, mode: 'race', opponents, order, joinIn: joins, policy };
  }
  const mode = driver ? 'versus' : 'solo';
  return {
    track,
    car,
    laps,
    strength,
    mode,
    ...(driver ? { policy: driver } : {}),
    ...(challenge ? { laps: challenge.lap } : {}),
  };
}

/** The link to a lap of the board, or to one just driven. */
export function challengeLink(
  lap: Pick<BoardLap, 'name' | 'ticks' | 'lap'>,
  event: [track: string, car: string],
  ghost: string | null,
  drive: RecordedDrive | null,
): RaceLink {
  const challenge = { by: lap.name, ticks: lap.ticks, lap: lap.lap, ghost, drive };
  return { track: event[0], car: event[1], driver: null, laps: lap.lap, challenge };
}
