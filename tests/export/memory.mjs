// The memory of a module after the contract in docs/web.md, for Node and for a page alike.
const ARRAYS = { float64: Float64Array, float32: Float32Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array };

/** A compiled module, places in its memory, and views of them once all are known: growing would detach them. */
export async function instantiated(wasm) {
  const { instance } = await WebAssembly.instantiate(wasm, { env: Math });
  const { memory, __heap_base: heapBase, ...functions } = instance.exports;
  let top = heapBase.value;
  const reserve = (size) => {
    const address = Math.ceil(top / 8) * 8;
    top = address + size;
    return address;
  };
  const place = (slot, count) => ({ ...slot, count, address: reserve(count * ARRAYS[slot.dtype].BYTES_PER_ELEMENT) });
  const table = (places) => ({ at: reserve(8 * places.length), places });
  const grow = () => memory.grow(Math.max(Math.ceil((top - memory.buffer.byteLength) / 65536), 0));
  const fill = ({ at, places }) =>
    new BigUint64Array(memory.buffer, at, places.length).set(places.map((each) => BigInt(each.address)));
  const view = ({ dtype, address, count }) => new ARRAYS[dtype](memory.buffer, address, count);
  return { functions, reserve, place, table, grow, fill, view };
}

/** Places for the slots of a kernel around the tables of a track, and how all of it is filled once memory has grown. */
export function laidOut({ reserve, place, table, grow, fill, view }, slots, tables, countOf) {
  const tablesAt = reserve(tables.bytes);
  const places = slots.map((slot) => {
    if (slot.group !== "tables") return place(slot, countOf(slot));
    const field = tables.fields[slot.field];
    return { ...slot, ...field, address: tablesAt + field.offset };
  });
  const addresses = table(places);
  grow();
  fill(addresses);
  const road = view({ dtype: "uint8", address: tablesAt, count: tables.bytes });
  return { addresses, groups: grouped(places, view), road };
}

/** Views by group and field. */
export function grouped(places, view) {
  const groups = {};
  for (const each of places) (groups[each.group] ??= {})[each.field] = view(each);
  return groups;
}

/** Writes the fields of a job after every step, as one Float64Array. */
export function recorder(groups, fields, steps) {
  const columns = fields.map(([group, field]) => groups[group][field]);
  const states = new Float64Array(steps * columns.reduce((sum, column) => sum + column.length, 0));
  let place = 0;
  const record = () => {
    for (const values of columns) {
      states.set(values, place);
      place += values.length;
    }
  };
  return { states, record };
}

export async function json(bytes, name) {
  return JSON.parse(new TextDecoder().decode(await bytes(name)));
}
