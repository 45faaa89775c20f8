// The browser's physics after the contract in docs/web.md, for Node and for a page alike: cars on the grid, then a drive.
const ARRAYS = { float64: Float64Array, int32: Int32Array, uint8: Uint8Array };

/** Drive a job {cars, ticks, layout, delay, fields}; every field after every tick, as one Float64Array. */
export async function drive({ kernel, wasm, track, tables, job, actions: inputs }) {
  const { instance } = await WebAssembly.instantiate(wasm, { env: Math });
  const { memory, update, __heap_base: heapBase } = instance.exports;
  const layout = kernel.layouts[job.layout];

  // Lay everything out, then make the views: growing would detach them.
  let top = heapBase.value;
  const reserve = (size) => {
    const address = Math.ceil(top / 8) * 8;
    top = address + size;
    return address;
  };
  const tablesAt = reserve(track.tables.bytes);
  const places = kernel.slots.map((slot) => {
    if (slot.group === "tables") {
      const field = track.tables.fields[slot.field];
      return { ...slot, ...field, address: tablesAt + field.offset };
    }
    const count = slot.count ?? job.cars * (slot.per_car === "layout" ? layout.size : slot.per_car);
    return { ...slot, count, address: reserve(count * ARRAYS[slot.dtype].BYTES_PER_ELEMENT) };
  });
  const addresses = reserve(8 * places.length);
  memory.grow(Math.max(Math.ceil((top - memory.buffer.byteLength) / 65536), 0));

  new Uint8Array(memory.buffer, tablesAt, track.tables.bytes).set(tables);
  new BigUint64Array(memory.buffer, addresses, places.length).set(places.map((place) => BigInt(place.address)));
  const groups = { fleet: {}, tables: {}, actions: {}, outputs: {}, numbers: {} };
  for (const { group, field, dtype, address, count } of places) {
    groups[group][field] = new ARRAYS[dtype](memory.buffer, address, count);
  }
  groups.numbers.rules.set(Object.values({ ...kernel.rules, layout: layout.number }));
  groups.numbers.physics.set(Object.values(kernel.physics));

  // The grid.
  const { fleet, actions } = groups;
  for (let car = 0; car < job.cars; car++) {
    fleet.x_u[car] = track.start.x_u;
    fleet.y_u[car] = track.start.y_u;
    fleet.heading_rad[car] = track.start.heading_rad;
    fleet.lap[car] = 1;
    fleet.best_lap_ticks[car] = -1;
    fleet.delay[car] = job.delay[car];
  }
  update(addresses, 0, job.cars, 0);

  // The drive: inputs are (ticks, 3, cars), what comes out is one row per tick.
  const columns = job.fields.map(([group, field]) => groups[group][field]);
  const width = columns.reduce((sum, column) => sum + column.length, 0);
  const states = new Float64Array(job.ticks * width);
  for (let tick = 0; tick < job.ticks; tick++) {
    for (const [k, name] of ["steer", "throttle", "brake"].entries()) {
      actions[name].set(inputs.subarray((3 * tick + k) * job.cars, (3 * tick + k + 1) * job.cars));
    }
    update(addresses, 0, job.cars, 1);
    let place = tick * width;
    for (const values of columns) {
      states.set(values, place);
      place += values.length;
    }
  }
  return states;
}
