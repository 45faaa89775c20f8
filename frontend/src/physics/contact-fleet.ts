/** Cars that race each other: one grid in the memory of the races' kernel, moved as a whole. */
import { aloneLayout, isRaceLayout, type LayoutName, raceLayout, type SeenLayout } from '../site/data';
import type { ArrayPlan, Slot } from './arrays';
import { type Course, Fleet, type Machine, type Seat } from './fleet';
import type { KernelFile } from './kernel';
import type { Columns } from './memory';
import { DRAWN_SLOT, NOBODY } from './numbers';
import type { RaceFile } from './race-kernel';

/** How a race begins. */
export interface GridStart {
  laps: number;
  /** Whose draws decide the slots that nobody asked for. */
  seed: number;
  /** The slot of the first car: from 0, or DRAWN_SLOT. */
  slot: number;
}

/** What the document of races says of the cars at hand, and the race to begin. */
export type RacePlan = Omit<RaceFile, 'rules'> & { rules: Record<string, number>; start: GridStart };

export class ContactFleet extends Fleet {
  /** What a car carries through a race. */
  readonly contenders: Columns;
  /** What the last tick said about every car's race. */
  readonly facts: Columns;
  private readonly main: LayoutName;
  private shown: LayoutName[] = [];

  constructor(
    file: KernelFile,
    machine: Machine,
    course: Course,
    private readonly plan: RacePlan,
  ) {
    super(file, machine, course, planTogether(file, plan, course));
    this.main = course.car.layouts[0]!;
    const groups = this.arrays.columns[this.main];
    this.contenders = groups.contenders!;
    this.facts = groups.facts!;
    this.fillRaceNumbers();
  }

  /** The grid, by the seed and the slot that was asked for. */
  override begin(seats: Seat[]): void {
    const { episodes, slots, work } = this.arrays.columns[this.main];
    const { seed, slot } = this.plan.start;
    for (const [car, seat] of seats.entries()) {
      this.sit(car, seat);
      // Whole numbers of 64 bits are pairs of 32, the low one first.
      episodes!.seed![2 * car] = seed;
      episodes!.stream![2 * car] = car;
      slots!.wanted![car] = car === 0 ? slot : DRAWN_SLOT;
      work!.order![car] = car;
    }
    this.shown = [...new Set(seats.map(({ layout }) => aloneLayout(layout)))].filter(
      (layout) => layout !== this.main,
    );
    this.call('reset', 0, this.main);
    this.lookAgain();
  }

  /** One tick of everybody. */
  override advance(): void {
    this.call('drive', 0, this.main);
    this.lookAgain();
  }

  /** What the driver of a car sees: of the others too, where its layout has them. */
  override observation(car: number, layout: SeenLayout): Float64Array {
    if (!isRaceLayout(layout)) return super.observation(car, layout);
    const { alone, size } = this.plan.layouts[layout];
    const seen = this.arrays.columns[alone].facts!.seen as Float64Array;
    return seen.subarray(car * size, (car + 1) * size);
  }

  lengthOf(car: number): number {
    return 2 * this.contenders.half_length_u![car]!;
  }

  isRacing(car: number): boolean {
    return this.plan.statuses[this.contenders.status![car]!] === 'racing';
  }

  hasRetired(car: number): boolean {
    return this.plan.statuses[this.contenders.status![car]!] === 'retired';
  }

  /** Whom a car touched hardest in the last tick; null for nobody. */
  touched(car: number): number | null {
    const other = this.facts.contact_with![car]!;
    return other === NOBODY ? null : other;
  }

  /** Put a car back in the next tick, as if it had got nowhere for long enough. */
  askBack(car: number): void {
    const { mark_ticks, mark_u, distance_u } = this.contenders;
    mark_ticks![car] = this.plan.stuck_ticks;
    mark_u![car] = distance_u![car]!;
  }

  /** Take a car off the road whose driver failed. */
  park(car: number): void {
    if (this.isRacing(car)) this.contenders.status![car] = this.plan.statuses.indexOf('retired');
  }

  /** Show the drivers of other layouts what they see; nothing moves. */
  private lookAgain(): void {
    for (const layout of this.shown) this.call('look', 0, layout);
  }

  private fillRaceNumbers(): void {
    const { rules, start } = this.plan;
    const chosen = { cars: this.cars, laps: start.laps, start: this.plan.starts.indexOf('standing') };
    for (const layout of this.car.layouts) {
      const solo_size = this.file.layouts[layout].size;
      const numbers = this.arrays.columns[layout].numbers!;
      numbers.race_rules!.set(Object.values({ ...rules, ...chosen, solo_size }));
    }
  }
}

/** The arrays of a grid: layouts differ in their rules, in what is seen, and in the facts that looking clears. */
function planTogether(file: KernelFile, race: RacePlan, { cars, car }: Course): ArrayPlan {
  const width = ({ group, per_car }: Slot, layout: LayoutName) => {
    if (per_car === 'cars') return cars;
    if (per_car !== 'layout') return Number(per_car);
    return group === 'outputs' ? file.layouts[layout].size : race.layouts[raceLayout(layout)].size;
  };
  return {
    slots: [...file.slots, ...race.slots],
    layouts: car.layouts,
    count: (slot, layout) => slot.count ?? cars * width(slot, layout),
    isOwn: ({ group, field, per_car }) =>
      per_car === 'layout' || group === 'facts' || field === 'rules' || field === 'race_rules',
  };
}
