/** Every way to begin: the AI behind the menu, a race, a lap of the board, a training to watch. */
import { type Board, type BoardLap, eventKey, eventOf } from '../race/board';
import type { Catalogue } from '../race/catalogue';
import type { Garage } from '../race/garage';
import { levelOf } from '../race/levels';
import { type Challenge, MOST_SEED, type RaceLink } from '../race/links';
import type { RecordedDrive } from '../race/tape';
import { fetchPolicies } from '../site/data';
import type { Settings } from '../site/settings';
import { lapTime } from '../ui/format';
import { COLOURS } from '../view/palette';
import { Learning, type LearningHost } from './learning';
import { AI_DELAY, atLevel, lineUp, lineUpFor, personSeat, policySeat, replaySeat } from './line-up';
import type { Plan } from './stage';

/** What there is to race with. */
export interface Supplies {
  catalogue: Catalogue;
  garage: Garage;
  settings: Settings;
}

/** Puts a race on the track; false when the player has asked for something else meanwhile. */
export type Begin = (plan: Plan) => Promise<boolean>;

const FREE = { laps: 0, counts: false };

/** The AI alone, behind the menu; nobody where it cannot drive, and starting a race says why. */
export async function demonstrate({ catalogue, garage, settings }: Supplies, begin: Begin): Promise<void> {
  const { car } = settings;
  const track = catalogue.track(settings.track, car).id;
  const entry = catalogue.driver(track, settings.policy, car);
  try {
    await begin({ track, car, line: lineUp([]), ...FREE });
    if (!entry) return;
    const seat = await policySeat(garage, entry, 'AI', COLOURS.ai);
    await begin({ track, car, line: lineUp([seat]), ...FREE });
  } catch {
    return;
  }
}

/** The race the player chose, or whoever is there when they do not want to wait; says who is missing and why. */
export async function startRace(
  supplies: Supplies,
  begin: Begin,
  impatience: Promise<void>,
  seed: number = newSeed(),
): Promise<string | null> {
  const { settings, catalogue, garage } = supplies;
  const { track, car, laps, mode, order } = settings;
  const you = personSeat(settings, catalogue.car(car));
  const alone = impatience.then(() => lineUp([you], ['The AI was still loading.']));
  const line = await Promise.race([lineUpFor(settings, catalogue, garage), alone]);
  if (line.entrants.length === 0) throw new Error(line.problems[0] ?? 'Nobody is there to drive.');
  const contact = mode === 'race' ? { order, seed } : undefined;
  await begin({ track, car, line, laps, counts: mode !== 'spectate', contact });
  const instead = line.entrants.map((entrant) => entrant.name).join(', ');
  return line.problems.length > 0 ? `${line.problems[0]} On the track instead: ${instead}.` : null;
}

function newSeed(): number {
  return Math.floor(Math.random() * MOST_SEED);
}

/** Whether a person takes part in the chosen race, and machines too: only then can it begin without them. */
export function canBeginAlone({ mode, joinIn }: Settings): boolean {
  return mode === 'versus' || (mode === 'younger' && joinIn);
}

/** A lap of the board, to race or to watch. */
export async function startGhost(
  { catalogue, settings }: Supplies,
  board: Board,
  lap: BoardLap,
  along: boolean,
  begin: Begin,
): Promise<void> {
  const [track, id] = eventOf(lap.track);
  const car = catalogue.car(id);
  const ghost = replaySeat(lap.name, await board.drive(lap), car);
  const line = lineUp(along ? [personSeat(settings, car), ghost] : [ghost]);
  await begin({ track, car: car.id, line, laps: lap.lap, counts: along });
}

/** The race of a link: you, the lap to beat where the link has it, and its driver. */
export async function startLink(
  supplies: Supplies,
  board: Board,
  { track, car, driver, laps, challenge, grid }: RaceLink,
  begin: Begin,
): Promise<void> {
  const { catalogue, garage, settings } = supplies;
  if (grid) {
    const problem = await startRace(supplies, begin, new Promise(() => {}), grid.seed);
    if (problem) throw new Error(problem);
    return;
  }
  const seats = [personSeat(settings, catalogue.car(car))];
  const drive = challenge && (await driveOf(challenge, track, car, board));
  if (challenge && drive) seats.push(replaySeat(challenge.by, drive, catalogue.car(car)));
  const entry = driver === null ? null : catalogue.policy(driver);
  const level = levelOf(settings, catalogue.list.levels.length);
  if (entry) seats.push(await policySeat(garage, entry, 'AI', COLOURS.ai, AI_DELAY, catalogue.level(level)));
  const line = { ...lineUp(seats), ...atLevel(level) };
  if (challenge) line.title = `Beat ${challenge.by}: ${lapTime(challenge.ticks)}`;
  await begin({ track, car, line, laps: challenge?.lap ?? laps, counts: true });
}

function driveOf(
  challenge: Challenge,
  track: string,
  car: string,
  board: Board,
): Promise<RecordedDrive | null> {
  const { ghost, by, ticks, lap, drive } = challenge;
  if (!ghost) return Promise.resolve(drive);
  return board.drive({ id: ghost, track: eventKey(track, car), name: by, ticks, lap, set_at: '' });
}

/** A training in progress, on the track its driver knows; null when it is not wanted any more. */
export async function watchTraining(
  { catalogue, garage, settings }: Supplies,
  host: Omit<LearningHost, 'begin' | 'refresh'>,
  begin: Begin,
): Promise<Learning | null> {
  const { track, car } = settings;
  if (!(await begin({ track, car, line: lineUp([]), ...FREE }))) return null;
  const put: LearningHost['begin'] = async (entry, line) => {
    const [drives] = entry.cars;
    const known = catalogue.tracksFor(drives!).find(({ id }) => entry.tracks.includes(id));
    await begin({ track: known?.id ?? catalogue.track(track, drives).id, car: drives!, line, ...FREE });
  };
  const refresh = async () => {
    catalogue.list = await fetchPolicies(['racer', 'race'], catalogue.list);
  };
  await refresh();
  return new Learning(garage, { ...host, begin: put, refresh }, () => catalogue.runToWatch(settings.run));
}
