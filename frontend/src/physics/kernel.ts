/** The physics: the Python kernel compiled to WebAssembly, and a fleet of cars in its memory. */
import { DataError, type LayoutName, type Track } from '../site/data';
import { BYTES, type Columns, Memory, type MemoryExports } from './memory';
import { TICKS_PER_SECOND, TOP_SPEED_UPS } from './numbers';

interface Slot {
  group: 'fleet' | 'tables' | 'actions' | 'outputs' | 'numbers';
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
  slots: Slot[];
  rules: Record<string, number>;
  physics: Record<string, number>;
  layouts: Record<LayoutName, { number: number; size: number }>;
  rays_rad: number[];
}

export interface Controls {
  steer: number;
  throttle: number;
  brake: number;
}

interface Exports extends MemoryExports {
  update(addresses: number, first: number, last: number, drives: number): void;
}

const LAYOUTS: LayoutName[] = ['classic', 'full'];
/** What comes to rest when a car is put back on the track; its race goes on. */
const MOTION = [
  ...['vx_ups', 'vy_ups', 'yaw_rate_rps', 'speed_ups', 'steer', 'throttle', 'brake', 'front_angle_rad'],
  ...['accel_ups2', 'slip_rad', 'still_ticks', 'held_steer', 'held_throttle', 'held_brake'],
];
export const RESPAWN_WAIT_TICKS = 30;

/** The compiled physics, ready to make fleets. */
export class Kernel {
  private constructor(
    readonly file: KernelFile,
    private readonly module: WebAssembly.Module,
  ) {}

  static async compile(file: KernelFile, wasm: ArrayBuffer): Promise<Kernel> {
    checkNumbers(file);
    return new Kernel(file, await WebAssembly.compile(wasm));
  }

  async fleet(track: Track, cars: number): Promise<Fleet> {
    const imports = { env: Math as unknown as WebAssembly.ModuleImports };
    const instance = await WebAssembly.instantiate(this.module, imports);
    return new Fleet(this.file, instance.exports as unknown as Exports, track, cars);
  }
}

/** Cars on one track; every quantity is a typed array by the name it has in Python. */
export class Fleet {
  readonly state: Columns = {};
  readonly actions: Columns = {};
  readonly outputs: Columns = {};
  private readonly seen = {} as Record<LayoutName, Float64Array>;
  private readonly addresses = {} as Record<LayoutName, number>;
  private readonly memory: Memory;

  constructor(
    private readonly file: KernelFile,
    private readonly exports: Exports,
    readonly track: Track,
    readonly cars: number,
  ) {
    this.memory = new Memory(exports);
    const layout = this.planned();
    this.memory.reserve();
    this.fill(layout);
  }

  /** Put a car on the grid, as new. */
  place(car: number, delay: 0 | 1, layout: LayoutName): void {
    const { x_u, y_u, heading_rad } = this.track.file.start;
    for (const column of Object.values(this.state)) column[car] = 0;
    for (const [name, column] of Object.entries(this.outputs)) if (name !== 'observation') column[car] = 0;
    this.set(car, { x_u, y_u, heading_rad, lap: 1, best_lap_ticks: -1, delay });
    this.look(car, layout);
  }

  /** Put a car to rest at the last gate it passed; its clocks went on while it waited, and its lap is not clean. */
  respawn(car: number, layout: LayoutName): void {
    const { centre, direction } = this.track.file.gates;
    const gate = this.state.gate![car]!;
    const [x_u, y_u] = centre[gate]!;
    const [along_x, along_y] = direction[gate]!;
    for (const name of MOTION) this.state[name]![car] = 0;
    this.set(car, { x_u, y_u, heading_rad: Math.atan2(along_y, along_x) });
    this.state.lap_ticks![car]! += RESPAWN_WAIT_TICKS;
    this.state.race_ticks![car]! += RESPAWN_WAIT_TICKS;
    this.state.lap_off_road_ticks![car]! += 1;
    this.look(car, layout);
  }

  /** One tick of one car. */
  drive(car: number, controls: Controls, layout: LayoutName): void {
    this.actions.steer![car] = controls.steer;
    this.actions.throttle![car] = controls.throttle;
    this.actions.brake![car] = controls.brake;
    this.exports.update(this.addresses[layout], car, car + 1, 1);
  }

  /** Write what the driver of a car sees, without moving it. */
  look(car: number, layout: LayoutName): void {
    this.exports.update(this.addresses[layout], car, car + 1, 0);
  }

  /** What the driver of a car sees, as last written; a view into memory. */
  observation(car: number, layout: LayoutName): Float64Array {
    const { size } = this.file.layouts[layout];
    return this.seen[layout].subarray(car * size, (car + 1) * size);
  }

  private set(car: number, values: Record<string, number>): void {
    for (const [name, value] of Object.entries(values)) this.state[name]![car] = value;
  }

  /** Where everything will lie: an address per slot and, for what differs, per layout. */
  private planned() {
    const tables = this.memory.take(this.track.tables.byteLength);
    const shared = this.file.slots.map((slot) => this.address(slot, tables));
    const own = LAYOUTS.map((name) => ({
      name,
      rules: this.memory.take(8 * Object.keys(this.file.rules).length),
      observation: this.memory.take(8 * this.file.layouts[name].size * this.cars),
      table: this.memory.take(8 * this.file.slots.length),
    }));
    return { tables, shared, own };
  }

  private address(slot: Slot, tables: number): number {
    if (slot.group === 'tables') return tables + this.tableField(slot).offset;
    if (slot.field === 'rules' || slot.per_car === 'layout') return 0;
    return this.memory.take(BYTES[slot.dtype]! * (slot.count ?? Number(slot.per_car) * this.cars));
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
      this.seen[part.name] = new Float64Array(buffer, part.observation, size);
      const particular = (field: string) => (field === 'rules' ? part.rules : part.observation);
      this.memory.writeTable(
        part.table,
        this.file.slots.map((slot, number) => shared[number] || particular(slot.field)),
      );
      this.addresses[part.name] = part.table;
    }
  }

  /** A view for everything the page reads or writes by name. */
  private keep(slot: Slot, address: number): void {
    const { buffer } = this.exports.memory;
    if (slot.field === 'physics') new Float64Array(buffer, address).set(Object.values(this.file.physics));
    const groups: Record<string, Columns> = {
      fleet: this.state,
      actions: this.actions,
      outputs: this.outputs,
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
