/** Who shall drive: the expert, or a trained driver; of a run that goes on, its newest one as it comes. */

import { PolicyDriver, problemOf } from '../physics/policy';
import { fetchBytes, NOBODY, type PolicyEntry, type PolicyList, type RunEntry } from '../site/data';
import { reasonOf } from '../site/reasons';
import { steps } from '../ui/format';
import { EXPERT, type HighwayDrive } from './drive';

export interface WheelChoice {
  value: string;
  label: string;
  problem: string | null;
}

const NEWEST = 'newest';
const GONE = 'The chosen driver is gone; checkpoints of a training come and go.';
const NO_CHECKPOINT = 'The training has no checkpoint yet; its first one takes the wheel as it comes.';

export class Wheel {
  list = NOBODY;
  private seated = '';
  private driver: PolicyDriver | null = null;

  constructor(
    private readonly drive: HighwayDrive,
    private readonly load: (entry: PolicyEntry) => Promise<PolicyDriver> = (entry) => loaded(entry, drive),
  ) {}

  /** Take a fresh list of drivers; who was chosen may have a newer self. */
  async update(list: PolicyList, wanted: string): Promise<boolean> {
    this.list = list;
    return this.choose(wanted);
  }

  /** The expert, the newest checkpoint of every run, its best, and single checkpoints. */
  choices(list = this.list): WheelChoice[] {
    const drivers = list.policies.map((entry) => ({
      value: choiceOf(entry),
      label: labelOf(entry),
      problem: this.problem(entry),
    }));
    const learns = (run: RunEntry) => run.state === 'training' || newestOf(list, run.key) !== null;
    const newest = list.runs.filter(learns).map(({ key, name, state }) => ({
      value: `${NEWEST}:${key}`,
      label: `${name} · ${state === 'training' ? 'as it learns' : 'newest'}`,
      problem: null,
    }));
    return [{ value: EXPERT, label: 'Rule-based expert', problem: null }, ...newest, ...drivers];
  }

  /** Who drives when nobody chose: the named run's best, else who drove last time, else the best evaluated, else the expert. */
  usualOf(list: PolicyList, run: string | null, remembered = ''): string {
    const able = list.policies
      .filter((entry) => entry.kind !== 'checkpoint' && !this.problem(entry))
      .sort(byScore);
    const named = able.find((entry) => run !== null && entry.run === run);
    if (named) return choiceOf(named);
    if (this.choices(list).some(({ value }) => value === remembered)) return remembered;
    return able[0] ? choiceOf(able[0]) : EXPERT;
  }

  /** Put the chosen driver at the wheel, on the move; whether that changed anything. */
  async choose(wanted: string): Promise<boolean> {
    const entry = this.entryOf(wanted);
    const key = entry?.key ?? wanted;
    if (key === this.seated) return false;
    this.seated = key;
    if (wanted === EXPERT) this.drive.seat(null);
    else if (!entry) this.drive.fallBack(wanted.startsWith(NEWEST) ? NO_CHECKPOINT : GONE);
    else await this.seat(entry);
    return true;
  }

  private async seat(entry: PolicyEntry): Promise<void> {
    try {
      const driver = await this.load(entry);
      if (this.seated !== entry.key) return void driver.release();
      const name = `${entry.name} · ${steps(entry.step)}`;
      this.drive.seat({ name, act: (seen) => driver.act(seen) });
      void this.driver?.release();
      this.driver = driver;
    } catch (error) {
      if (this.seated === entry.key) this.drive.fallBack(reasonOf(error));
    }
  }

  private entryOf(wanted: string): PolicyEntry | null {
    const [kind, run] = wanted.split(':');
    if (kind === NEWEST) return newestOf(this.list, run!);
    return this.list.policies.find((entry) => choiceOf(entry) === wanted) ?? null;
  }

  private problem(entry: PolicyEntry): string | null {
    return problemOf(entry, this.drive.road.file.fingerprint);
  }
}

function newestOf(list: PolicyList, run: string): PolicyEntry | null {
  const own = list.policies.filter((entry) => entry.run === run && entry.kind === 'checkpoint');
  return own.sort((a, b) => b.step - a.step)[0] ?? null;
}

/** The better evaluated first, then who was not evaluated; as they were listed among equals. */
function byScore(a: PolicyEntry, b: PolicyEntry): number {
  for (const [i, value] of a.score.entries())
    if (value !== b.score[i]) return (b.score[i] ?? -Infinity) - value;
  return b.score.length - a.score.length;
}

/** A run's best stays the same choice when it becomes better; anything else is itself. */
function choiceOf(entry: PolicyEntry): string {
  return entry.kind === 'best' ? `best:${entry.run}` : entry.key;
}

function labelOf(entry: PolicyEntry): string {
  return `${entry.name} · ${entry.kind} · ${steps(entry.step)} steps`;
}

function loaded(entry: PolicyEntry, drive: HighwayDrive): Promise<PolicyDriver> {
  const problem = problemOf(entry, drive.road.file.fingerprint);
  if (problem) return Promise.reject(new Error(problem));
  const size = drive.road.file.observation.length;
  return PolicyDriver.load(entry, size, () => fetchBytes(`data/policies/${entry.key}.onnx`));
}
