/** Tracks and drivers, fetched when first wanted and kept. */

import type { Kernel } from '../physics/kernel';
import { PolicyDriver, PolicyError, problemOf } from '../physics/policy';
import { fetchBytes, fetchTrack, type PolicyEntry, type Track } from '../site/data';

const MOST_DRIVERS = 16;

export class Garage {
  private readonly tracks = new Map<string, Promise<Track>>();
  private readonly drivers = new Map<string, Promise<PolicyDriver>>();

  constructor(readonly kernel: Kernel) {}

  track(id: string): Promise<Track> {
    return kept(this.tracks, id, () => fetchTrack(id));
  }

  /** A driver ready to drive; another physics is refused before anything is loaded. */
  driver(entry: PolicyEntry): Promise<PolicyDriver> {
    const { layouts } = this.kernel.file;
    const problem = problemOf(entry, this.kernel.fingerprint(entry.cars[0]!));
    if (problem) return Promise.reject(new PolicyError(problem));
    this.makeRoom();
    const model = () => fetchBytes(`data/policies/${entry.key}.onnx`, `driver ${entry.name}`);
    return kept(this.drivers, entry.key, () => PolicyDriver.load(entry, layouts[entry.layout].size, model));
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
