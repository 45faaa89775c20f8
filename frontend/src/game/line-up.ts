/** Who takes part in a race, for every mode. */
import { type Car, NO_ASSISTS } from '../physics/cars';
import type { Catalogue } from '../race/catalogue';
import { type Driver, ReplayDriver } from '../race/drivers';
import type { Garage } from '../race/garage';
import { LevelDriver, levelOf } from '../race/levels';
import type { Entrant } from '../race/race-car';
import { type RecordedDrive, TapePlayer } from '../race/tape';
import type { Level, PolicyEntry } from '../site/data';
import { MIXED_LEVELS, type Settings } from '../site/settings';
import { steps } from '../ui/format';
import { AGES, COLOURS, FIELD } from '../view/palette';

/** A trained driver acts one tick after it decided, as it was measured: a person's hands are not instant either. */
export const AI_DELAY = 1;
/** In a race it acts at once, as races are evaluated. */
export const RACE_DELAY = 0;

export interface LineUp {
  entrants: Entrant[];
  /** Whether the reference lap is shown beside them. */
  ghost: boolean;
  /** Drivers for a new start, one per entrant; null is the person. */
  drivers(): (Driver | null)[];
  /** What the race is called, where that is to be said. */
  title?: string;
  /** The level of the machines, or that they are mixed; without it they drive as they learned. */
  strength?: number;
  /** Who is missing and why. */
  problems: string[];
}

interface Seat {
  entrant: Entrant;
  driver: () => Driver | null;
}

/** The player, in the chosen car with the chosen help. */
export function personSeat({ name, tractionControl, antiLock }: Settings, car: Car): Seat {
  const entrant: Entrant = {
    name: name.trim() || 'You',
    kind: 'human',
    colour: COLOURS.you,
    layout: car.layouts[0]!,
    delay: 0,
    assists: { traction: tractionControl, antiLock },
  };
  return { entrant, driver: () => null };
}

export async function policySeat(
  garage: Garage,
  entry: PolicyEntry,
  name: string,
  colour: number,
  delay: 0 | 1 = AI_DELAY,
  level: Level | null = null,
): Promise<Seat> {
  const driver = await garage.driver(entry);
  const { traction_control: traction, anti_lock: antiLock } = entry.assists;
  const entrant: Entrant = {
    name,
    kind: 'policy',
    colour,
    layout: entry.layout,
    delay,
    assists: { traction, antiLock },
  };
  return { entrant, driver: () => (level ? new LevelDriver(driver, level) : driver) };
}

/** A lap somebody drove; called a ghost, so that nobody races their own name. */
export function replaySeat(name: string, drive: RecordedDrive, car: Car): Seat {
  const entrant: Entrant = {
    name: `${name}’s ghost`,
    kind: 'replay',
    colour: COLOURS.ghost,
    layout: car.layouts[0]!,
    delay: 0,
    assists: drive.assists ?? NO_ASSISTS,
    respawns: drive.respawns,
  };
  return { entrant, driver: () => new ReplayDriver(new TapePlayer(drive)) };
}

export function lineUp(seats: Seat[], problems: string[] = [], ghost = false): LineUp {
  return {
    ghost,
    entrants: seats.map((seat) => seat.entrant),
    drivers: () => seats.map((seat) => seat.driver()),
    problems,
  };
}

/** The cars of the chosen mode; who cannot be loaded stays away and the rest race. */
export async function lineUpFor(settings: Settings, catalogue: Catalogue, garage: Garage): Promise<LineUp> {
  const { track, showGhost } = settings;
  const car = catalogue.car(settings.car);
  const you = personSeat(settings, car);
  if (settings.mode === 'solo') return lineUp([you], [], showGhost);
  if (settings.mode === 'younger') return youngerSelves(settings, catalogue, garage);
  if (settings.mode === 'race') return field(settings, catalogue, garage);
  const seats = settings.mode === 'versus' ? [you] : [];
  const entry = catalogue.driver(track, settings.policy, car.id);
  if (!entry && catalogue.ghostOf(track, car.id)) return lineUp(seats, [], showGhost);
  if (!entry) return lineUp(seats, [catalogue.whyNoDriver(track, car.id)!]);
  const level = settings.mode === 'versus' ? levelOf(settings, catalogue.list.levels.length) : null;
  const seat = policySeat(garage, entry, 'AI', COLOURS.ai, AI_DELAY, catalogue.level(level));
  const [rival, problems] = await loaded([seat]);
  return { ...lineUp([...seats, ...rival], problems), ...atLevel(level) };
}

/** Everybody of a race with contact; without the player one more machine takes their place. */
async function field(settings: Settings, catalogue: Catalogue, garage: Garage): Promise<LineUp> {
  const you = settings.joinIn ? [personSeat(settings, catalogue.car(settings.car))] : [];
  const entries = catalogue.field(settings, settings.opponents + 1 - you.length);
  const isMixed = settings.strength === MIXED_LEVELS;
  const levels = entries.map((_, n) => levelOf(settings, catalogue.list.levels.length, n));
  const names = numbered(entries.map((entry, n) => racerName(entry, isMixed ? levels[n]! : null)));
  const [others, problems] = await loaded(
    entries.map((entry, n) => {
      const level = catalogue.level(levels[n]!);
      return policySeat(garage, entry, names[n]!, FIELD[n] ?? COLOURS.ai, RACE_DELAY, level);
    }),
  );
  const strength = isMixed ? { strength: MIXED_LEVELS, title: 'Mixed levels' } : atLevel(levels[0] ?? null);
  return { ...lineUp([...you, ...others], problems), ...strength };
}

/** What a race at a level says of it. */
export function atLevel(level: number | null): Pick<LineUp, 'strength' | 'title'> {
  return level === null ? {} : { strength: level, title: `Level ${level}` };
}

/** What tells drivers apart comes first: there is little room for names. */
function racerName({ kind, step, name }: PolicyEntry, level: number | null): string {
  const own = kind === 'checkpoint' ? `${steps(step)} ${name}` : name;
  return level === null ? own : `L${level} ${own}`;
}

/** The same names, where one is there several times after a number. */
function numbered(names: string[]): string[] {
  return names.map((name, place) => {
    const before = names.slice(0, place).filter((other) => other === name).length;
    return before > 0 ? `${before + 1} ${name}` : name;
  });
}

async function youngerSelves(settings: Settings, catalogue: Catalogue, garage: Garage): Promise<LineUp> {
  const run = catalogue.runWithAges(settings);
  const ages = run ? catalogue.ages(run.key) : [];
  const colour = (place: number) => AGES[AGES.length - ages.length + place] ?? COLOURS.ai;
  const [selves, problems] = await loaded(
    ages.map((entry, place) => policySeat(garage, entry, steps(entry.step), colour(place))),
  );
  const you = settings.joinIn ? [personSeat(settings, catalogue.car(settings.car))] : [];
  // The newest first: it is the one to follow.
  return { ...lineUp([...you, ...selves.reverse()], problems), title: `Younger selves of ${run?.name}` };
}

async function loaded(seats: Promise<Seat>[]): Promise<[Seat[], string[]]> {
  const settled = await Promise.allSettled(seats);
  const there = settled.flatMap((seat) => (seat.status === 'fulfilled' ? [seat.value] : []));
  const problems = settled.flatMap((seat) =>
    seat.status === 'rejected' ? [String(seat.reason?.message ?? seat.reason)] : [],
  );
  return [there, [...new Set(problems)]];
}
