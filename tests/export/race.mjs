// A race in a page or in Node: a grid by its seed, then a drive {cars, laps, ticks, layout, seed, wanted, fields}, and with
// grip {car}: which of the kernel's cars all of them are.
import { instantiated, json, laidOut, recorder } from "./memory.mjs";

/** Drive the job of a folder; `bytes` reads one of its files. */
export async function driveJob(bytes) {
  const names = ["kernel.json", "race.json", "track.json", "job.json"];
  const [kernel, race, track, job] = await Promise.all(names.map((name) => json(bytes, name)));
  const inputs = new Float64Array((await bytes("actions.bin")).buffer);
  const memory = await instantiated(await bytes("race.wasm"));
  const shown = race.layouts[job.layout];
  const alone = kernel.layouts[shown.alone];
  const widthOf = ({ group, per_car }) => {
    if (per_car === "cars") return job.cars;
    if (per_car !== "layout") return per_car;
    return group === "outputs" ? alone.size : shown.size;
  };
  const countOf = (slot) => slot.count ?? job.cars * widthOf(slot);
  const { addresses, groups, road } = laidOut(memory, [...kernel.slots, ...race.slots], track.tables, countOf);
  road.set(await bytes("track.bin"));
  const kind = job.car === undefined ? "classic" : "grip";
  groups.numbers.rules.set(Object.values({ ...kernel.rules, layout: alone.number }));
  groups.numbers.physics.set(Object.values(kind === "grip" ? kernel.grip.physics : kernel.physics));
  const chosen = { cars: job.cars, laps: job.laps, start: race.starts.indexOf(job.start), solo_size: alone.size };
  groups.numbers.race_rules.set(Object.values({ ...race.rules[kind], ...chosen }));
  if (kind === "grip") {
    for (const [field, column] of Object.entries(kernel.grip.car_table)) groups.cars[field].set(column.flat());
    groups.grip.first_car.fill(kernel.grip.cars.findIndex((car) => car.id === job.car));
  }

  // The grid.
  const update = memory.functions[race.functions[kind]];
  for (let car = 0; car < job.cars; car++) {
    groups.slots.wanted[car] = job.wanted[car];
    groups.work.order[car] = car;
    groups.episodes.seed[car] = BigInt(job.seed);
    groups.episodes.stream[car] = BigInt(car);
  }
  update(addresses.at, 0, 1, kernel.calls.reset);

  // The race: inputs are (ticks, 3, cars), what comes out is one row per tick.
  const { states, record } = recorder(groups, job.fields, job.ticks);
  for (let tick = 0; tick < job.ticks; tick++) {
    for (const [k, name] of ["steer", "throttle", "brake"].entries()) {
      groups.actions[name].set(inputs.subarray((3 * tick + k) * job.cars, (3 * tick + k + 1) * job.cars));
    }
    update(addresses.at, 0, 1, kernel.calls.drive);
    record();
  }
  return states;
}
