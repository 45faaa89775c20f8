// The racer in a page or in Node: cars on the grid, then a drive {cars, ticks, layout, delay, fields}, and with grip
// {car}: which of the kernel's cars it is.
import { instantiated, json, laidOut, recorder } from "./memory.mjs";

/** Drive the job of a folder; `bytes` reads one of its files. */
export async function driveJob(bytes) {
  const [kernel, track, job] = await Promise.all(["kernel.json", "track.json", "job.json"].map((name) => json(bytes, name)));
  const inputs = new Float64Array((await bytes("actions.bin")).buffer);
  const memory = await instantiated(await bytes("racer.wasm"));
  const layout = kernel.layouts[job.layout];
  const countOf = ({ count, per_car }) => count ?? job.cars * (per_car === "layout" ? layout.size : per_car);
  const { addresses, groups, road } = laidOut(memory, kernel.slots, track.tables, countOf);
  road.set(await bytes("track.bin"));
  groups.numbers.rules.set(Object.values({ ...kernel.rules, layout: layout.number }));
  const model = job.car === undefined ? { function: "update", physics: kernel.physics } : kernel.grip;
  const update = memory.functions[model.function];
  groups.numbers.physics.set(Object.values(model.physics));
  if (job.car !== undefined) {
    for (const [field, column] of Object.entries(model.car_table)) groups.cars[field].set(column);
    groups.grip.first_car.fill(model.cars.findIndex((car) => car.id === job.car));
    groups.grip.car_count.fill(1);
  }

  // The grid.
  const { starts, actions } = groups;
  for (let car = 0; car < job.cars; car++) starts.first_delay[car] = job.delay[car];
  update(addresses.at, 0, job.cars, kernel.calls.place);

  // The drive: inputs are (ticks, 3, cars), what comes out is one row per tick.
  const { states, record } = recorder(groups, job.fields, job.ticks);
  for (let tick = 0; tick < job.ticks; tick++) {
    for (const [k, name] of ["steer", "throttle", "brake"].entries()) {
      actions[name].set(inputs.subarray((3 * tick + k) * job.cars, (3 * tick + k + 1) * job.cars));
    }
    update(addresses.at, 0, job.cars, kernel.calls.drive);
    record();
  }
  return states;
}
