/** What there is to drive: tracks, trained drivers, and which of them fit together. */

import { problemOf } from '../physics/policy';
import type { PolicyEntry, PolicyList, RunEntry, Site, TrackSummary } from '../site/data';

export const MOST_AGES = 8;

export class Catalogue {
  constructor(
    readonly site: Site,
    readonly fingerprint: string,
    readonly tracks: TrackSummary[],
    public list: PolicyList,
  ) {}

  /** The run of this world that the server was started with, if it was. */
  get startRun(): string | null {
    return this.list.runs.find(({ key }) => key === this.site.start.run)?.key ?? null;
  }

  track(id: string): TrackSummary {
    return this.tracks.find((track) => track.id === id) ?? this.tracks[0]!;
  }

  problem(entry: PolicyEntry): string | null {
    return problemOf(entry, this.fingerprint);
  }

  policy(key: string): PolicyEntry | null {
    return this.list.policies.find((entry) => entry.key === key) ?? null;
  }

  /** Drivers to race on a track: those who learned it first, of those the named run first, then the fastest. */
  driversFor(track: string): PolicyEntry[] {
    const drivers = this.list.policies.filter((entry) => entry.kind !== 'checkpoint');
    return drivers
      .map((entry, place) => ({ entry, place }))
      .sort((a, b) => {
        const rank = this.rank(a.entry, track) - this.rank(b.entry, track);
        return rank || this.lapOf(a.entry, track) - this.lapOf(b.entry, track) || a.place - b.place;
      })
      .map(({ entry }) => entry);
  }

  /** The driver the player chose, if it can drive here, else the best one that can. */
  driver(track: string, wanted: string): PolicyEntry | null {
    const usable = this.driversFor(track).filter((entry) => !this.problem(entry));
    const chosen = usable.find((entry) => entry.key === wanted);
    return chosen ?? usable[0] ?? null;
  }

  /** Why nobody can be raced here; null when somebody can. */
  whyNoDriver(track: string): string | null {
    if (this.driver(track, '')) return null;
    const faulty = this.list.policies.find((entry) => this.problem(entry));
    return faulty
      ? this.problem(faulty)!
      : 'There is no trained driver yet: run “hotlap train”, then reload.';
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

  /** The run whose younger selves can be raced on a track: that of the chosen driver, else the first that can. */
  runWithAges(track: string, wanted: string): RunEntry | null {
    const fits = (run: RunEntry) =>
      this.ages(run.key).length > 1 && (run.tracks.includes(track) || run.layout === 'full');
    const chosen = this.list.runs.find((run) => run.key === this.policy(wanted)?.run);
    if (chosen && fits(chosen)) return chosen;
    return this.list.runs.find(fits) ?? null;
  }

  private rank(entry: PolicyEntry, track: string): number {
    if (this.problem(entry)) return 4;
    if (!entry.tracks.includes(track)) return entry.layout === 'full' ? 2 : 3;
    return this.site.start.run !== null && entry.run === this.site.start.run ? 0 : 1;
  }

  private lapOf(entry: PolicyEntry, track: string): number {
    return entry.laps[track] ?? 9999;
  }
}
