// The racer in a page or in Node: cars on the grid, then a drive {cars, ticks, layout, delay, fields}, and with grip
// {car}: which of the kernel's cars it is.
import { grouped, instantiated, json, recorder } from "./memory.mjs";

/** Drive the job of a folder; `bytes` reads one of its files. */
export async function driveJob(bytes) {
  const [kernel, track, job] = await Promise.all(["kernel.json", "track.json", "job.json"].map((name) => json(bytes, name)));
  const inputs = new Float64Array((await bytes("actions.bin")).buffer);
  const { functions, reserve, place, table, grow, fill, view } = await instantiated(await bytes("racer.wasm"));
  const layout = kernel.layouts[job.layout];
  const tablesAt = reserve(track.tables.bytes);
  const places = kernel.slots.map((slot) => {
    if (slot.group !== "tables") return place(slot, slot.count ?? job.cars * (slot.per_car === "layout" ? layout.size : slot.per_car));
    const field = track.tables.fields[slot.field];
    return { ...slot, ...field, address: tablesAt + field.offset };
  });
  const addresses = table(places);
  grow();
  view({ dtype: "uint8", address: tablesAt, count: track.tables.bytes }).set(await bytes("track.bin"));
  fill(addresses);
  const groups = grouped(places, view);
  groups.numbers.rules.set(Object.values({ ...kernel.rules, layout: layout.number }));
  const model = job.car === undefined ? { function: "update", physics: kernel.physics } : kernel.grip;
  const update = functions[model.function];
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
