/** The physics: the Python kernel compiled to WebAssembly, and a fleet of cars in its memory. */
import { DataError, type LayoutName, type Track } from '../site/data';
import { type Assists, type Car, CLASSIC, carsOf, type GripFacts, NO_ASSISTS } from './cars';
import { BYTES, type Columns, Memory, type MemoryExports } from './memory';
import { TICKS_PER_SECOND, TOP_SPEED_UPS } from './numbers';

type Call = 'look' | 'drive' | 'place' | 'respawn';

interface Slot {
  group:
    | 'fleet'
    | 'tables'
    | 'actions'
    | 'outputs'
    | 'starts'
    | 'episodes'
    | 'rollout'
    | 'grip'
    | 'cars'
    | 'numbers';
  field: string;
  dtype: string;
  per_car?: number | 'layout';
  count?: number;
}

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

type Update = (addresses: number, first: number, last: number, call: number) => void;

interface Exports extends MemoryExports {
  update: Update;
  update_grip: Update;
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

  async fleet(track: Track, cars: number, car: string = CLASSIC): Promise<Fleet> {
    const imports = { env: Math as unknown as WebAssembly.ModuleImports };
    const instance = await WebAssembly.instantiate(this.module, imports);
    return new Fleet(this.file, instance.exports as unknown as Exports, track, cars, this.car(car));
  }
}

/** Cars on one track; every quantity is a typed array by the name it has in Python. */
export class Fleet {
  readonly state: Columns = {};
  readonly actions: Columns = {};
  readonly outputs: Columns = {};
  /** Of cars with grip: how much of it is used, and what helps. */
  readonly grip: Columns = {};
  private readonly starts: Columns = {};
  private readonly seen = {} as Record<LayoutName, Float64Array>;
  private readonly addresses = {} as Record<LayoutName, number>;
  private readonly memory: Memory;

  constructor(
    readonly file: KernelFile,
    private readonly exports: Exports,
    readonly track: Track,
    readonly cars: number,
    /** What all of them are. */
    readonly car: Car,
  ) {
    this.memory = new Memory(exports);
    const layout = this.planned();
    this.memory.reserve();
    this.fill(layout);
  }

  /** Put a car on the grid, as new. */
  place(car: number, delay: 0 | 1, layout: LayoutName, assists: Assists = NO_ASSISTS): void {
    this.starts.first_delay![car] = delay;
    this.grip.first_car![car] = this.car.number ?? 0;
    this.grip.traction_control![car] = Number(assists.traction);
    this.grip.anti_lock![car] = Number(assists.antiLock);
    this.call('place', car, layout);
  }

  /** Put a car to rest at the last gate it passed; its clocks went on while it waited, and its lap is not clean. */
  respawn(car: number, layout: LayoutName): void {
    this.call('respawn', car, layout);
  }

  /** One tick of one car. */
  drive(car: number, controls: Controls, layout: LayoutName): void {
    this.actions.steer![car] = controls.steer;
    this.actions.throttle![car] = controls.throttle;
    this.actions.brake![car] = controls.brake;
    this.call('drive', car, layout);
  }

  /** Write what the driver of a car sees, without moving it. */
  look(car: number, layout: LayoutName): void {
    this.call('look', car, layout);
  }

  /** What the driver of a car sees, as last written; a view into memory. */
  observation(car: number, layout: LayoutName): Float64Array {
    const { size } = this.file.layouts[layout];
    return this.seen[layout].subarray(car * size, (car + 1) * size);
  }

  private call(name: Call, car: number, layout: LayoutName): void {
    const update = this.car.number === null ? this.exports.update : this.exports.update_grip;
    update(this.addresses[layout], car, car + 1, this.file.calls[name]);
  }

  /** Where everything will lie: an address per slot and, for what differs, per layout. */
  private planned() {
    const tables = this.memory.take(this.track.tables.byteLength);
    const shared = this.file.slots.map((slot) => this.address(slot, tables));
    const own = this.car.layouts.map((name) => ({
      name,
      rules: this.memory.take(8 * Object.keys(this.file.rules).length),
      rows: this.file.slots.map((slot) => this.row(slot, name)),
      table: this.memory.take(8 * this.file.slots.length),
    }));
    return { tables, shared, own };
  }

  private address(slot: Slot, tables: number): number {
    if (slot.group === 'tables') return tables + this.tableField(slot).offset;
    if (slot.field === 'rules' || slot.per_car === 'layout') return 0;
    return this.memory.take(BYTES[slot.dtype]! * (slot.count ?? Number(slot.per_car) * this.cars));
  }

  /** A row for each car, as long as the layout has it; 0 for what is no such row. */
  private row(slot: Slot, name: LayoutName): number {
    if (slot.per_car !== 'layout') return 0;
    return this.memory.take(BYTES[slot.dtype]! * this.file.layouts[name].size * this.cars);
  }

  private tableField(slot: Slot): { offset: number } {
    const field = this.track.file.tables.fields[slot.field];
    if (field) return field;
    throw new DataError(
      `track ${this.track.file.id} has no table ${slot.field}: it is of another version. Reload.`,
    );
  }

  private fill({ tables, shared, own }: ReturnType<Fleet['planned']>): void {
    const { buffer } = this.exports.memory;
    new Uint8Array(buffer, tables).set(new Uint8Array(this.track.tables));
    for (const [number, slot] of this.file.slots.entries()) this.keep(slot, shared[number]!);
    for (const part of own) {
      const rules = { ...this.file.rules, layout: this.file.layouts[part.name].number };
      new Float64Array(buffer, part.rules).set(Object.values(rules));
      const size = this.file.layouts[part.name].size * this.cars;
      const seen = this.file.slots.findIndex(
        ({ group, field }) => group === 'outputs' && field === 'observation',
      );
      this.seen[part.name] = new Float64Array(buffer, part.rows[seen]!, size);
      this.memory.writeTable(
        part.table,
        this.file.slots.map((_, number) => shared[number] || part.rows[number] || part.rules),
      );
      this.addresses[part.name] = part.table;
    }
  }

  /** A view for everything the page reads or writes by name. */
  private keep(slot: Slot, address: number): void {
    const { buffer } = this.exports.memory;
    const physics = this.car.number === null ? this.file.physics : this.file.grip.physics;
    if (slot.field === 'physics') new Float64Array(buffer, address).set(Object.values(physics));
    if (slot.group === 'cars')
      new Float64Array(buffer, address).set(this.file.grip.car_table[slot.field]!.flat());
    const groups: Record<string, Columns> = {
      fleet: this.state,
      actions: this.actions,
      outputs: this.outputs,
      starts: this.starts,
      grip: this.grip,
    };
    const columns = groups[slot.group];
    if (!columns || slot.per_car === 'layout') return;
    columns[slot.field] = this.memory.view(slot.dtype, address, Number(slot.per_car) * this.cars);
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
