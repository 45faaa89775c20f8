/** The lap board: on the server where there is one, else in the browser; laps are kept until they are delivered. */
import { CLASSIC } from '../physics/cars';
import { refusalOf } from '../site/reasons';
import { isRecord, read, type TextStore, write } from '../site/storage';
import type { RecordedDrive } from './tape';

/** What laps are compared in: a track, with another car than the classic one the car too. */
export function eventKey(track: string, car: string): string {
  return car === CLASSIC ? track : `${track}.${car}`;
}

/** The track and the car of such a key. */
export function eventOf(key: string): [string, string] {
  const [track, car] = key.split('.');
  return [track!, car ?? CLASSIC];
}

export interface BoardLap {
  id: string;
  /** See `eventKey`. */
  track: string;
  name: string;
  ticks: number;
  /** 1 is a standing start. */
  lap: number;
  set_at: string;
  /** What the server says of its inputs; laps of this browser alone are not told apart. */
  driven_by?: 'keys' | 'analogue' | 'machine';
}

/** A clean lap on its way to the board. */
export interface NewLap {
  track: string;
  name: string;
  ticks: number;
  lap: number;
  fingerprint: string;
  drive: RecordedDrive;
}

export type Delivery = 'sent' | 'kept' | 'refused';

interface StoredLap extends NewLap {
  set_at: string;
}

const KEPT_PER_TRACK = 10;
const MOST_PENDING = 20;
const LATER_STATUSES = new Set([408, 425, 429]);

export class Board {
  /** Why the server did not take the last lap, for the player. */
  refusal: string | null = null;
  /** The place of the last lap that was sent; null when a hundred others are faster. */
  rank: number | null = null;
  /** What the server calls the last lap that was sent. */
  sentId: string | null = null;
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: TextStore,
    private readonly hasServer: boolean,
    private readonly fingerprint: (car: string) => string,
    private readonly ask: typeof fetch = (...args) => fetch(...args),
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Keep a lap here and send it; a server that does not answer gets it later. */
  async add(lap: NewLap): Promise<Delivery> {
    this.keep(lap);
    if (!this.shares(lap.track)) return 'kept';
    write(this.store, 'pending', [...this.pending(), lap].slice(-MOST_PENDING));
    const before = this.pending().length;
    this.refusal = null;
    this.sentId = null;
    await this.deliver();
    if (this.refusal) return 'refused';
    return this.pending().length < before ? 'sent' : 'kept';
  }

  /** Whether laps of an event go to the server: it drives them again, and knows the classic car. */
  shares(event: string): boolean {
    return this.hasServer && eventOf(event)[1] === CLASSIC;
  }

  /** Send what is waiting, oldest first; one sender at a time. */
  deliver(): Promise<void> {
    this.sending = this.sending.then(() => this.sendAll());
    return this.sending;
  }

  /** The fastest laps of a track: the server's if it answers, else those driven in this browser. */
  async top(track: string): Promise<BoardLap[]> {
    if (!this.shares(track)) return this.local(track);
    try {
      const answer = await this.ask(`api/laps?track=${encodeURIComponent(track)}`);
      if (!answer.ok) return this.local(track);
      return ((await answer.json()) as { laps: BoardLap[] }).laps;
    } catch {
      return this.local(track);
    }
  }

  /** The best lap of every track. */
  async best(tracks: string[]): Promise<Record<string, BoardLap>> {
    const laps = tracks.map((track) => [track, this.local(track)[0]] as const);
    const here = Object.fromEntries(laps.filter(([, lap]) => lap)) as Record<string, BoardLap>;
    const kept = Object.entries(here).filter(([track]) => !this.shares(track));
    if (!this.hasServer) return here;
    try {
      const answer = await this.ask('api/laps');
      if (!answer.ok) return here;
      const { best } = (await answer.json()) as { best: Record<string, BoardLap> };
      return { ...best, ...Object.fromEntries(kept) };
    } catch {
      // The server is gone; what this browser remembers will do.
      return here;
    }
  }

  /** How a lap of the board was driven. */
  async drive(lap: BoardLap): Promise<RecordedDrive> {
    const own = this.stored().find((stored) => idOf(stored) === lap.id);
    if (own) return own.drive;
    const answer = await this.ask(`api/laps/${encodeURIComponent(lap.id)}`);
    if (!answer.ok) throw new Error(`The board has no lap ${lap.id} any more.`);
    return ((await answer.json()) as { drive: RecordedDrive }).drive;
  }

  pending(): NewLap[] {
    return read(this.store, 'pending', (value) => (Array.isArray(value) ? value.filter(isNewLap) : null), []);
  }

  private local(track: string): BoardLap[] {
    return this.stored()
      .filter((lap) => lap.track === track && lap.fingerprint === this.fingerprint(eventOf(track)[1]))
      .sort((a, b) => a.ticks - b.ticks)
      .map((lap) => ({
        id: idOf(lap),
        track,
        name: lap.name,
        ticks: lap.ticks,
        lap: lap.lap,
        set_at: lap.set_at,
      }));
  }

  private stored(): StoredLap[] {
    const check = (value: unknown) => (Array.isArray(value) ? (value.filter(isNewLap) as StoredLap[]) : null);
    return read(this.store, 'laps', check, []);
  }

  private keep(lap: NewLap): void {
    const all = [...this.stored(), { ...lap, set_at: this.now().toISOString() }];
    const sorted = all.sort((a, b) => a.ticks - b.ticks);
    const count = new Map<string, number>();
    const kept = sorted.filter((one) => {
      const rank = (count.get(one.track) ?? 0) + 1;
      count.set(one.track, rank);
      return rank <= KEPT_PER_TRACK;
    });
    write(this.store, 'laps', kept);
  }

  private async sendAll(): Promise<void> {
    for (let lap = this.pending()[0]; lap; lap = this.pending()[0]) {
      if (!(await this.send(lap))) return;
      write(this.store, 'pending', this.pending().slice(1));
    }
  }

  /** Whether the lap need not be sent again. */
  private async send({ lap: _, ...content }: NewLap): Promise<boolean> {
    try {
      const answer = await this.ask('api/laps', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(content),
      });
      if (answer.ok) {
        const { lap, rank } = (await answer.json()) as { lap?: { id: string }; rank: number | null };
        this.rank = rank;
        this.sentId = rank === null ? null : (lap?.id ?? null);
        return true;
      }
      if (answer.status >= 500 || LATER_STATUSES.has(answer.status)) return false;
      this.refusal = await refusalOf(answer);
      return true;
    } catch {
      return false;
    }
  }
}

function idOf(lap: StoredLap): string {
  return `own-${lap.track}-${lap.ticks}-${lap.set_at}`;
}

function isNewLap(value: unknown): value is NewLap {
  return (
    isRecord(value) &&
    typeof value.track === 'string' &&
    typeof value.ticks === 'number' &&
    typeof value.name === 'string' &&
    typeof value.fingerprint === 'string' &&
    isRecord(value.drive) &&
    typeof value.drive.inputs === 'string' &&
    Array.isArray(value.drive.respawns)
  );
}
