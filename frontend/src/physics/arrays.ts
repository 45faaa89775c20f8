/** The arrays of a kernel: where each lies in memory, and an address table for every layout that drivers may see. */
import { DataError, type LayoutName, type Track } from '../site/data';
import { BYTES, type Columns, Memory, type MemoryExports } from './memory';

export interface Slot {
  group: string;
  field: string;
  dtype: string;
  /** Elements for each car: a number, as many as the layout has, or as many as there are cars. */
  per_car?: number | 'layout' | 'cars';
  /** Elements in all, where they do not depend on the cars. */
  count?: number;
}

/** What arrays there are. */
export interface ArrayPlan {
  slots: Slot[];
  layouts: LayoutName[];
  /** Elements of an array, of that of a layout where every layout has its own. */
  count(slot: Slot, layout: LayoutName): number;
  /** Whether every layout has its own. */
  isOwn(slot: Slot): boolean;
}

export class Arrays {
  /** Columns by group, as a layout has them; what layouts share is the same memory in each. */
  readonly columns = {} as Record<LayoutName, Record<string, Columns>>;
  /** Where the address table of each layout lies. */
  readonly tables = {} as Record<LayoutName, number>;
  private readonly memory: Memory;

  constructor(
    exports: MemoryExports,
    private readonly track: Track,
    private readonly plan: ArrayPlan,
  ) {
    this.memory = new Memory(exports);
    const tracks = this.memory.take(track.tables.byteLength);
    const shared = plan.slots.map((slot) => this.sharedAddress(slot, tracks));
    const own = plan.layouts.map((layout) => ({
      layout,
      addresses: plan.slots.map((slot, n) => (plan.isOwn(slot) ? this.take(slot, layout) : shared[n]!)),
      table: this.memory.take(8 * plan.slots.length),
    }));
    this.memory.reserve();
    new Uint8Array(exports.memory.buffer, tracks).set(new Uint8Array(track.tables));
    for (const { layout, addresses, table } of own) this.show(layout, addresses, table);
  }

  private sharedAddress(slot: Slot, tracks: number): number {
    if (slot.group === 'tables') return tracks + this.tableField(slot).offset;
    return this.plan.isOwn(slot) ? 0 : this.take(slot, this.plan.layouts[0]!);
  }

  private take(slot: Slot, layout: LayoutName): number {
    return this.memory.take(BYTES[slot.dtype]! * this.plan.count(slot, layout));
  }

  private tableField(slot: Slot): { offset: number; count: number } {
    const field = this.track.file.tables.fields[slot.field];
    if (field) return field;
    throw new DataError(
      `track ${this.track.file.id} has no table ${slot.field}: it is of another version. Reload.`,
    );
  }

  /** A view for everything by its name, and the address table. */
  private show(layout: LayoutName, addresses: number[], table: number): void {
    const groups: Record<string, Columns> = {};
    for (const [n, slot] of this.plan.slots.entries()) {
      if (slot.group === 'tables') continue;
      groups[slot.group] ??= {};
      const count = this.plan.count(slot, layout);
      groups[slot.group]![slot.field] = this.memory.view(slot.dtype, addresses[n]!, count);
    }
    this.columns[layout] = groups;
    this.memory.writeTable(table, addresses);
    this.tables[layout] = table;
  }
}
