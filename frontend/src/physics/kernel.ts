/** The physics: the Python kernel compiled to WebAssembly. */
import { DataError, type LayoutName, type Track } from '../site/data';
import type { Slot } from './arrays';
import { type Car, CLASSIC, carsOf, type GripFacts } from './cars';
import { Fleet } from './fleet';
import type { MemoryExports } from './memory';
import { TICKS_PER_SECOND, TOP_SPEED_UPS } from './numbers';

export type Call = 'look' | 'drive' | 'place' | 'respawn' | 'reset';

export interface KernelFile {
  format: number;
  fingerprint: string;
  ticks_per_second: number;
  gates: number;
  /** What it costs to be put back on the road. */
  respawn_ticks: number;
  calls: Record<Call, number>;
  slots: Slot[];
  rules: Record<string, number>;
  physics: Record<string, number>;
  grip: GripFacts;
  layouts: Record<LayoutName, { number: number; size: number }>;
  rays_rad: number[];
}

export interface Controls {
  steer: number;
  throttle: number;
  brake: number;
}

export type Update = (addresses: number, first: number, last: number, call: number) => void;

interface Exports extends MemoryExports {
  update: Update;
  update_grip: Update;
}

/** A module in use, with memory of its own. */
export async function instanceOf<T>(module: WebAssembly.Module): Promise<T> {
  const imports = { env: Math as unknown as WebAssembly.ModuleImports };
  return (await WebAssembly.instantiate(module, imports)).exports as T;
}

/** The compiled physics, ready to make fleets. */
export class Kernel {
  readonly cars: Car[];

  private constructor(
    readonly file: KernelFile,
    private readonly module: WebAssembly.Module,
  ) {
    this.cars = carsOf(file.grip);
  }

  /** The car of an id; the classic one for an id that nobody knows. */
  car(id: string): Car {
    return this.cars.find((car) => car.id === id) ?? this.cars[0]!;
  }

  /** The physics that drivers of a car learned in. */
  fingerprint(id: string): string {
    return id === CLASSIC ? this.file.fingerprint : this.file.grip.fingerprint;
  }

  static async compile(file: KernelFile, wasm: ArrayBuffer): Promise<Kernel> {
    checkNumbers(file);
    return new Kernel(file, await WebAssembly.compile(wasm));
  }

  /** Cars that never touch each other. */
  async fleet(track: Track, cars: number, id: string = CLASSIC): Promise<Fleet> {
    const exports = await instanceOf<Exports>(this.module);
    const car = this.car(id);
    const update = car.number === null ? exports.update : exports.update_grip;
    return new Fleet(this.file, { exports, update }, { track, cars, car });
  }
}

/** The page draws and counts by these two; a kernel that has others would be shown wrongly. */
function checkNumbers(file: KernelFile): void {
  if (file.ticks_per_second !== TICKS_PER_SECOND || file.physics.max_speed_ups !== TOP_SPEED_UPS) {
    throw new DataError(
      'kernel.json has another pace or top speed than this page: it is of another version. Reload.',
    );
  }
}
