/** Cars on one track in the kernel's memory; every quantity is a typed array by the name it has in Python. */
import { aloneLayout, type LayoutName, type SeenLayout, type Track } from '../site/data';
import { type ArrayPlan, Arrays, type Slot } from './arrays';
import { type Assists, type Car, NO_ASSISTS } from './cars';
import type { Call, Controls, KernelFile, Update } from './kernel';
import type { Columns, MemoryExports } from './memory';

/** How a car is driven. */
export interface Seat {
  layout: SeenLayout;
  /** Ticks between deciding and acting, applied by the kernel. */
  delay: 0 | 1;
  /** What helps the driver of a car with grip. */
  assists?: Assists;
}

/** Where cars drive, and which. */
export interface Course {
  track: Track;
  cars: number;
  /** What all of them are. */
  car: Car;
}

/** A kernel's module in use: its memory, and the function that moves cars. */
export interface Machine {
  exports: MemoryExports;
  update: Update;
}

export class Fleet {
  readonly track: Track;
  readonly cars: number;
  readonly car: Car;
  readonly state: Columns;
  readonly actions: Columns;
  readonly outputs: Columns;
  /** Of cars with grip: how much of it is used, and what helps. */
  readonly grip: Columns;
  protected readonly arrays: Arrays;
  private readonly starts: Columns;

  constructor(
    readonly file: KernelFile,
    private readonly machine: Machine,
    { track, cars, car }: Course,
    plan: ArrayPlan = planAlone(file, cars, car),
  ) {
    this.track = track;
    this.cars = cars;
    this.car = car;
    this.arrays = new Arrays(machine.exports, track, plan);
    const groups = this.arrays.columns[car.layouts[0]!];
    this.state = groups.fleet!;
    this.actions = groups.actions!;
    this.outputs = groups.outputs!;
    this.grip = groups.grip!;
    this.starts = groups.starts!;
    this.fillNumbers();
  }

  /** Put everybody on the grid, as new. */
  begin(seats: Seat[]): void {
    for (const [car, seat] of seats.entries()) {
      this.sit(car, seat);
      this.call('place', car, aloneLayout(seat.layout));
    }
  }

  /** Make the first car here what a car of another fleet is there, and show its driver what it sees. */
  take(other: Fleet, car: number, layout: SeenLayout): void {
    for (const [ours, theirs] of [
      [this.state, other.state],
      [this.grip, other.grip],
    ] as const)
      for (const [name, column] of Object.entries(ours)) {
        const width = column.length / this.cars;
        for (let k = 0; k < width; k++) column[k] = theirs[name]![car * width + k]!;
      }
    this.call('look', 0, aloneLayout(layout));
  }

  /** Put a car to rest at the last gate it passed; its clocks went on while it waited, and its lap is not clean. */
  respawn(car: number, layout: SeenLayout): void {
    this.call('respawn', car, aloneLayout(layout));
  }

  /** What a driver asks for in the next tick. */
  control(car: number, { steer, throttle, brake }: Controls): void {
    this.actions.steer![car] = steer;
    this.actions.throttle![car] = throttle;
    this.actions.brake![car] = brake;
  }

  /** One tick of those cars. */
  advance(cars: { number: number; entrant: Seat }[]): void {
    for (const { number, entrant } of cars) this.call('drive', number, aloneLayout(entrant.layout));
  }

  /** What the driver of a car sees, as last written; a view into memory. */
  observation(car: number, layout: SeenLayout): Float64Array {
    const alone = aloneLayout(layout);
    const { size } = this.file.layouts[alone];
    const seen = this.arrays.columns[alone].outputs!.observation as Float64Array;
    return seen.subarray(car * size, (car + 1) * size);
  }

  protected sit(car: number, { delay, assists = NO_ASSISTS }: Seat): void {
    this.starts.first_delay![car] = delay;
    this.grip.first_car![car] = this.car.number ?? 0;
    this.grip.traction_control![car] = Number(assists.traction);
    this.grip.anti_lock![car] = Number(assists.antiLock);
  }

  /** What the kernel calls `name`, for one car, or for one grid of a race. */
  protected call(name: Call, number: number, layout: LayoutName): void {
    this.machine.update(this.arrays.tables[layout], number, number + 1, this.file.calls[name]);
  }

  private fillNumbers(): void {
    const { physics, grip, rules, layouts } = this.file;
    const own = this.car.number === null ? physics : grip.physics;
    for (const layout of this.car.layouts) {
      const { numbers, cars } = this.arrays.columns[layout];
      numbers!.rules!.set(Object.values({ ...rules, layout: layouts[layout].number }));
      numbers!.physics!.set(Object.values(own));
      for (const [field, column] of Object.entries(grip.car_table)) cars![field]!.set(column.flat());
    }
  }
}

/** The arrays of cars that never touch: layouts differ in their rules and in what is seen. */
function planAlone({ slots, layouts }: KernelFile, cars: number, car: Car): ArrayPlan {
  return {
    slots,
    layouts: car.layouts,
    count: ({ count, per_car }: Slot, layout) =>
      count ?? cars * (per_car === 'layout' ? layouts[layout].size : Number(per_car)),
    isOwn: ({ field, per_car }) => field === 'rules' || per_car === 'layout',
  };
}
