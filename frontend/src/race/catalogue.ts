/** What there is to drive: tracks, trained drivers, and which of them fit together. */

import { type Car, CLASSIC } from '../physics/cars';
import type { Kernel } from '../physics/kernel';
import { problemOf } from '../physics/policy';
import {
  isRaceLayout,
  type Level,
  type PolicyEntry,
  type PolicyList,
  type RunEntry,
  type Site,
  type TrackSummary,
} from '../site/data';
import type { Settings } from '../site/settings';

export const MOST_AGES = 8;
/** The rank of drivers who never saw a track and do not see its road ahead either. */
const STRANGE = 3;

/** What a player chose to race with. */
export type Choices = Pick<Settings, 'track' | 'car' | 'run' | 'policy'>;

export class Catalogue {
  constructor(
    readonly site: Site,
    private readonly kernel: Pick<Kernel, 'cars' | 'car' | 'fingerprint'>,
    readonly tracks: TrackSummary[],
    public list: PolicyList,
  ) {}

  /** The run of this world that the server was started with, if it was. */
  get startRun(): string | null {
    return this.runs.find(({ key }) => key === this.site.start.run)?.key ?? null;
  }

  /** The choices for the run in races that the server was started with, if it was. */
  startRace(): Partial<Settings> {
    const { run } = this.site.start;
    const best = this.list.policies.find((entry) => entry.run === run && isRaceLayout(entry.layout));
    return run !== null && best ? { mode: 'race', policy: best.key } : {};
  }

  /** The runs whose drivers drive alone. */
  get runs(): RunEntry[] {
    return this.list.runs.filter(({ world }) => world === 'racer');
  }

  /** The cars that have a track to drive on. */
  get cars(): Car[] {
    return this.kernel.cars.filter(({ id }) => this.tracksFor(id).length > 0);
  }

  car(id: string): Car {
    return this.cars.find((car) => car.id === id) ?? this.cars[0]!;
  }

  tracksFor(car: string): TrackSummary[] {
    return this.tracks.filter(({ cars }) => cars.includes(car));
  }

  /** The track of an id where that car drives there, else the first one it does. */
  track(id: string, car: string = CLASSIC): TrackSummary {
    const tracks = this.tracksFor(this.car(car).id);
    return tracks.find((track) => track.id === id) ?? tracks[0]!;
  }

  problem(entry: PolicyEntry): string | null {
    // The physics of races is not here before the first of them; whoever loads the driver looks again.
    if (isRaceLayout(entry.layout)) return entry.problem;
    return problemOf(entry, this.kernel.fingerprint(entry.cars[0] ?? CLASSIC));
  }

  policy(key: string): PolicyEntry | null {
    return this.list.policies.find((entry) => entry.key === key) ?? null;
  }

  /** Drivers to race on a track: those who learned it first, of those the named run first, then the fastest. */
  driversFor(track: string, car: string = CLASSIC): PolicyEntry[] {
    const drivers = this.list.policies.filter(
      ({ kind, cars, layout }) => kind !== 'checkpoint' && cars.includes(car) && !isRaceLayout(layout),
    );
    return drivers
      .map((entry, place) => ({ entry, place }))
      .sort((a, b) => {
        const rank = this.rank(a.entry, track) - this.rank(b.entry, track);
        return rank || this.lapOf(a.entry, track) - this.lapOf(b.entry, track) || a.place - b.place;
      })
      .map(({ entry }) => entry);
  }

  /** The driver the player chose, if it can drive here, else the best one that can. */
  driver(track: string, wanted: string, car: string = CLASSIC): PolicyEntry | null {
    const usable = this.driversFor(track, car).filter((entry) => !this.problem(entry));
    const chosen = [...usable, ...this.youngerDrivers(track, car)].find((entry) => entry.key === wanted);
    return chosen ?? usable[0] ?? null;
  }

  /** What the level of a number takes from a driver; null for nothing. */
  level(number: number | null): Level | null {
    return number === null ? null : (this.list.levels[number - 1] ?? null);
  }

  /** The ages of the first run that drove here, youngest first. */
  youngerDrivers(track: string, car: string = CLASSIC): PolicyEntry[] {
    const [run] = this.runsWithAges(track, car);
    return run ? this.ages(run.key) : [];
  }

  /** Drivers for a race with contact: those who learned to race, then those who know the road alone, best first. */
  racersFor(track: string, car: string = CLASSIC): PolicyEntry[] {
    const able = this.list.policies.filter((entry) => entry.cars.includes(car) && !this.problem(entry));
    const racers = able.filter(({ kind, layout }) => kind !== 'checkpoint' && isRaceLayout(layout));
    const grown = this.driversFor(track, car);
    const alone = [...grown, ...this.youngerDrivers(track, car).reverse()];
    return [...racers, ...alone.filter((entry) => this.rank(entry, track) < STRANGE)];
  }

  /** So many opponents: the chosen driver in every car, or from the best to the weakest there are, in turn. */
  field({ track, car, policy }: Choices, count: number): PolicyEntry[] {
    const all = this.racersFor(track, car);
    const chosen = all.find(({ key }) => key === policy);
    const place = (seat: number) =>
      all.length > count ? Math.floor((seat * all.length) / count) : seat % all.length;
    return Array.from({ length: all.length > 0 ? count : 0 }, (_, seat) => chosen ?? all[place(seat)]!);
  }

  /** Why nobody can be raced here; null when somebody can. */
  whyNoDriver(track: string, car: string = CLASSIC): string | null {
    if (this.driver(track, '', car)) return null;
    const faulty = this.driversFor(track, car).find((entry) => this.problem(entry));
    if (faulty) return this.problem(faulty)!;
    return car === CLASSIC
      ? 'There is no trained driver yet: run “hotlap train”, then reload.'
      : `Nobody has learned to drive the ${this.car(car).name} yet.`;
  }

  /** Whether a car has a reference lap to race on a track; the classic car has drivers for that. */
  ghostOf(track: string, car: string): boolean {
    return car !== CLASSIC && this.track(track, car).reference_ticks[car] !== undefined;
  }

  /** Up to eight checkpoints of one run, spread over its life, oldest first. */
  ages(run: string): PolicyEntry[] {
    const all = this.list.policies
      .filter((entry) => entry.run === run && entry.kind === 'checkpoint' && !this.problem(entry))
      .sort((a, b) => a.step - b.step);
    if (all.length <= MOST_AGES) return all;
    const chosen = Array.from({ length: MOST_AGES }, (_, i) =>
      Math.round((i * (all.length - 1)) / (MOST_AGES - 1)),
    );
    return chosen.map((place) => all[place]!);
  }

  /** The runs whose younger selves can be raced on a track. */
  runsWithAges(track: string, car: string = CLASSIC): RunEntry[] {
    return this.runs.filter(
      (run) =>
        run.cars.includes(car) &&
        this.ages(run.key).length > 1 &&
        (run.tracks.includes(track) || run.layout !== 'classic'),
    );
  }

  /** The chosen one of them, else that of the chosen driver, else the first. */
  runWithAges({ track, car, run, policy }: Choices): RunEntry | null {
    const runs = this.runsWithAges(track, car);
    const known = (key: string | null | undefined) => runs.find((one) => one.key === key);
    return known(run) ?? known(this.policy(policy)?.run) ?? runs[0] ?? null;
  }

  /** The run to watch: the chosen one, else that in training, else that the server was started with; null leaves it to the server. */
  runToWatch(chosen: string): string | null {
    if (this.runs.some(({ key }) => key === chosen)) return chosen;
    const live = this.runs.filter(({ state }) => state === 'training');
    const started = this.startRun;
    if (live.length === 0) return started;
    return live.some(({ key }) => key === started) ? started : live[0]!.key;
  }

  private rank(entry: PolicyEntry, track: string): number {
    if (this.problem(entry)) return STRANGE + 1;
    if (!entry.tracks.includes(track)) return entry.layout === 'classic' ? STRANGE : 2;
    return this.site.start.run !== null && entry.run === this.site.start.run ? 0 : 1;
  }

  private lapOf(entry: PolicyEntry, track: string): number {
    return entry.laps[track] ?? 9999;
  }
}
