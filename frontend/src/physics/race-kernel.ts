/** The physics of races: the kernel of several cars on one road, compiled to WebAssembly. */
import type { LayoutName, RaceLayoutName, Track } from '../site/data';
import type { Slot } from './arrays';
import { ContactFleet, type GridStart } from './contact-fleet';
import { instanceOf, type Kernel, type Update } from './kernel';
import type { MemoryExports } from './memory';

type CarKind = 'classic' | 'grip';

export interface RaceFile {
  format: number;
  functions: Record<CarKind, string>;
  /** The physics that drivers learned in, by what they see. */
  fingerprints: Record<RaceLayoutName, string>;
  layouts: Record<RaceLayoutName, { alone: LayoutName; size: number }>;
  starts: string[];
  statuses: string[];
  /** How long a car gets nowhere before it is put back. */
  stuck_ticks: number;
  /** What follows the slots of `kernel.json`. */
  slots: Slot[];
  rules: Record<CarKind, Record<string, number>>;
}

export class RaceKernel {
  private constructor(
    readonly file: RaceFile,
    private readonly module: WebAssembly.Module,
    private readonly kernel: Kernel,
  ) {}

  static async compile(file: RaceFile, wasm: ArrayBuffer, kernel: Kernel): Promise<RaceKernel> {
    return new RaceKernel(file, await WebAssembly.compile(wasm), kernel);
  }

  /** One grid of cars that touch each other. */
  async fleet(track: Track, cars: number, id: string, start: GridStart): Promise<ContactFleet> {
    const exports = await instanceOf<MemoryExports & Record<string, Update>>(this.module);
    const car = this.kernel.car(id);
    const kind: CarKind = car.number === null ? 'classic' : 'grip';
    const machine = { exports, update: exports[this.file.functions[kind]]! };
    const rules = this.file.rules[kind];
    return new ContactFleet(this.kernel.file, machine, { track, cars, car }, { ...this.file, rules, start });
  }
}
