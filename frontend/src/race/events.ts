/** What happens in a race: the page takes it for sound, sparks, messages and replays. */
import type { Lap } from './laps';

/** Whose fault a contact was, as the first of the two sees it. */
export type Fault = 'own' | 'other' | 'both' | 'nobody';

export type RaceEvent =
  | { type: 'beat'; beat: number }
  | { type: 'go' }
  | { type: 'gate'; car: number; gate: number }
  | { type: 'lap'; car: number; lap: Lap; best: boolean }
  | { type: 'hit'; car: number; speed: number }
  /** Two cars touched that were apart; how much faster the first one became by it, and whose fault it was. */
  | { type: 'contact'; car: number; other: number; jolt: number; fault: Fault }
  | { type: 'pass'; car: number; other: number }
  | { type: 'respawn'; car: number }
  | { type: 'retired'; car: number }
  | { type: 'finish'; car: number }
  | { type: 'over' };
