/** One road of the highway: the Python kernel compiled to WebAssembly, one decision of 0.2 s at a time. */
import { BYTES, type Column, type Columns, Memory, type MemoryExports } from '../physics/memory';
import { type ModeName, UNSAID } from '../physics/numbers';

interface Slot {
  group: string;
  field: string;
  dtype: string;
  per_road?: number;
  count?: number;
}

export interface SceneEntry {
  seed: number;
  lane: number;
  speed_mps: number;
}

export interface HighwayFile {
  format: number;
  fingerprint: string;
  decision_s: number;
  slots: Slot[];
  calls: Record<'look' | 'drive' | 'begin' | 'give' | 'advise', number>;
  rules: Record<string, number>;
  road: { lane_width_m: number; limits_mps: number[]; vehicles: number };
  mph: number;
  default_gap_s: number;
  observation: string[];
  modes: ModeName[];
  time_limits_s: number[];
  outcomes: string[];
  reasons: string[];
  rule_names: string[];
  kinds: string[];
  scenes: SceneEntry[];
}

/** What the ego does in a decision. */
export interface Action {
  throttle: number;
  brake: number;
  lane: number;
}

/** A mission in the words of the world; null is what was not said. */
export interface Order {
  mode: ModeName;
  target_lane: number | null;
  target_speed_mps: number | null;
  gap_s: number | null;
  direction: 'left' | 'right' | null;
  return_lane: number | null;
}

type Call = (addresses: number, first: number, last: number, call: number) => void;
type Exports = MemoryExports & Record<'update' | 'pose', Call>;

const DIRECTIONS = { left: -1, right: 1 } as const;

export class Road {
  readonly groups: Record<string, Columns> = {};
  private readonly addresses: number;

  private constructor(
    readonly file: HighwayFile,
    private readonly scenes: Float64Array,
    private readonly exports: Exports,
  ) {
    const memory = new Memory(exports);
    const places = file.slots.map((slot) => ({
      slot,
      address: memory.take(BYTES[slot.dtype]! * size(slot)),
    }));
    this.addresses = memory.take(8 * places.length);
    memory.reserve();
    memory.writeTable(
      this.addresses,
      places.map(({ address }) => address),
    );
    for (const { slot, address } of places) {
      this.groups[slot.group] ??= {};
      this.groups[slot.group]![slot.field] = memory.view(slot.dtype, address, size(slot));
    }
    this.column('numbers', 'rules').set(Object.values(file.rules));
  }

  static async compile(file: HighwayFile, wasm: ArrayBuffer, scenes: ArrayBuffer): Promise<Road> {
    const imports = { env: Math as unknown as WebAssembly.ModuleImports };
    const { instance } = await WebAssembly.instantiate(wasm, imports);
    return new Road(file, new Float64Array(scenes), instance.exports as unknown as Exports);
  }

  get lanes(): number {
    return this.file.road.limits_mps.length;
  }

  /** The limit of a lane; on the shoulder that of the lane beside it. */
  limit_mps(lane: number): number {
    return this.file.road.limits_mps[Math.min(lane, this.lanes - 1)]!;
  }

  column(group: string, field: string): Column {
    return this.groups[group]![field]!;
  }

  /** An element of a column: of the ego where it is about vehicles. */
  value(group: string, field: string, element = 0): number {
    return this.column(group, field)[element]!;
  }

  /** What the driver sees: a view into memory. */
  get observation(): Float64Array {
    return this.column('outputs', 'observation') as Float64Array;
  }

  /** Begin a scene with so many vehicles around, the ego holding its lane and speed. */
  begin(number: number, vehicles: number): void {
    const scene = this.file.scenes[number]!;
    const dice = this.column('scratch', 'dice');
    dice.set(this.scenes.subarray(number * dice.length, (number + 1) * dice.length));
    const start = { ...scene, fewest: vehicles, most: vehicles, planned: 0, plan_mode: -1 };
    for (const [field, column] of Object.entries(this.groups.starts!))
      column[0] = start[field as keyof typeof start];
    this.call('begin');
    this.give({ ...NOTHING_SAID, target_speed_mps: scene.speed_mps, gap_s: this.file.default_gap_s });
  }

  /** Give the ego a mission; why it is refused, or null. */
  give(order: Order): string | null {
    const values: Record<string, number> = {
      mode: this.file.modes.indexOf(order.mode),
      lane: order.target_lane ?? UNSAID,
      speed_mps: order.target_speed_mps ?? UNSAID,
      gap_s: order.gap_s ?? UNSAID,
      direction: order.direction ? DIRECTIONS[order.direction] : 0,
      return_lane: order.return_lane ?? UNSAID,
    };
    for (const [field, value] of Object.entries(values)) this.column('orders', field)[0] = value;
    this.call('give');
    return this.file.reasons[this.value('outputs', 'ended_reason')] || null;
  }

  /** Why an order would be refused now, or null: it is given, and then everything is as it was before. */
  rehearse(order: Order): string | null {
    const columns = ['roads', 'orders', 'outputs'].flatMap((group) => Object.values(this.groups[group]!));
    const before = columns.map((column) => column.slice());
    const reason = this.give(order);
    for (const [i, column] of columns.entries()) column.set(before[i] as never);
    return reason;
  }

  /** One decision. */
  drive(action: Action): void {
    for (const [field, value] of Object.entries(action)) this.column('actions', field)[0] = value;
    this.call('drive');
  }

  /** What the rule-based expert would do. */
  advise(): Action {
    this.call('advise');
    const value = (field: string) => this.value('actions', field);
    return { throttle: value('throttle'), brake: value('brake'), lane: value('lane') };
  }

  private call(name: keyof HighwayFile['calls']): void {
    this.exports.update(this.addresses, 0, 1, this.file.calls[name]);
    this.exports.pose(this.addresses, 0, 1, 0);
  }
}

export const NOTHING_SAID: Order = {
  mode: 'hold',
  target_lane: null,
  target_speed_mps: null,
  gap_s: null,
  direction: null,
  return_lane: null,
};

function size(slot: Slot): number {
  return slot.count ?? slot.per_road ?? 1;
}
