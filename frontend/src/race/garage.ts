/** Tracks and drivers, fetched when first wanted and kept. */

import type { Kernel } from '../physics/kernel';
import { PolicyDriver, PolicyError, problemOf } from '../physics/policy';
import { type RaceFile, RaceKernel } from '../physics/race-kernel';
import { fetchBytes, fetchJson, fetchTrack, isRaceLayout, type PolicyEntry, type Track } from '../site/data';

const MOST_DRIVERS = 16;

export class Garage {
  private readonly tracks = new Map<string, Promise<Track>>();
  private readonly drivers = new Map<string, Promise<PolicyDriver>>();
  private readonly kernels = new Map<string, Promise<RaceKernel>>();

  constructor(readonly kernel: Kernel) {}

  track(id: string): Promise<Track> {
    return kept(this.tracks, id, () => fetchTrack(id));
  }

  /** The physics of races with contact, fetched when the first one is wanted. */
  races(): Promise<RaceKernel> {
    return kept(this.kernels, 'race', async () => {
      const [file, wasm] = await Promise.all([
        fetchJson<RaceFile>('data/race.json'),
        fetchBytes('data/race.wasm', 'the physics of races'),
      ]);
      return RaceKernel.compile(file, wasm, this.kernel);
    });
  }

  /** A driver ready to drive; another physics is refused before anything is loaded. */
  async driver(entry: PolicyEntry): Promise<PolicyDriver> {
    const { size, fingerprint } = await this.shownTo(entry);
    const problem = problemOf(entry, fingerprint);
    if (problem) throw new PolicyError(problem);
    this.makeRoom();
    const model = () => fetchBytes(`data/policies/${entry.key}.onnx`, `driver ${entry.name}`);
    return kept(this.drivers, entry.key, () => PolicyDriver.load(entry, size, model));
  }

  /** How many numbers a driver sees, and of which physics. */
  private async shownTo({ layout, cars }: PolicyEntry): Promise<{ size: number; fingerprint: string }> {
    if (!isRaceLayout(layout))
      return { size: this.kernel.file.layouts[layout].size, fingerprint: this.kernel.fingerprint(cars[0]!) };
    const { file } = await this.races();
    return { size: file.layouts[layout].size, fingerprint: file.fingerprints[layout] };
  }

  /** The longest unused driver goes: a live training brings ever new ones. */
  private makeRoom(): void {
    if (this.drivers.size < MOST_DRIVERS) return;
    const [oldest, driver] = this.drivers.entries().next().value!;
    this.drivers.delete(oldest);
    void driver.then((loaded) => loaded.release()).catch(() => {});
  }
}

/** What is under a key, made once; a failure is not remembered. */
function kept<T>(store: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = store.get(key);
  if (known) {
    store.delete(key);
    store.set(key, known);
    return known;
  }
  const made = make();
  store.set(key, made);
  made.catch(() => store.delete(key));
  return made;
}
