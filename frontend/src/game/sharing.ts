/** Links to send: a race, the player's best lap of it, or a lap of the board. */
import { type Board, type BoardLap, eventOf } from '../race/board';
import { addressOf, challengeLink, type RaceLink } from '../race/links';
import type { Plan } from './stage';
import type { Supplies } from './starts';

/** The address of the page itself, without what a link asked for. */
export function pageAddress(): string {
  const url = new URL(location.href);
  const renderer = url.searchParams.get('renderer');
  url.search = renderer ? `?renderer=${encodeURIComponent(renderer)}` : '';
  url.hash = '';
  return url.href;
}

/** A link to the player's best lap of a race where they drove one, or to the race itself. */
export function linkToRace(
  { settings, catalogue }: Supplies,
  { track, car, laps, line, contact }: Plan,
  challenge: RaceLink | null,
): Promise<string> {
  if (contact) {
    const { opponents, policy } = settings;
    const driver = catalogue.policy(policy)?.key ?? null;
    const joins = line.entrants[0]?.kind === 'human';
    return addressOf(pageAddress(), {
      ...{ track, car, laps, driver, challenge: null, strength: line.strength },
      grid: { ...contact, opponents, joins },
    });
  }
  const against = settings.mode === 'versus' ? catalogue.driver(track, settings.policy, car) : null;
  const race = challenge ?? { track, car, laps, challenge: null };
  return addressOf(pageAddress(), { ...race, driver: against?.key ?? null, strength: line.strength });
}

export async function linkToLap(board: Board, lap: BoardLap): Promise<string> {
  const shared = board.shares(lap.track) && !lap.id.startsWith('own-');
  const drive = shared ? null : await board.drive(lap);
  return addressOf(pageAddress(), challengeLink(lap, eventOf(lap.track), shared ? lap.id : null, drive));
}
