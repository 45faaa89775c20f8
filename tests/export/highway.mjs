// The highway in a page or in Node: scenes begun by their dice, orders, and a drive {roads, decisions, fields, orders}.
import { grouped, instantiated, json, recorder } from "./memory.mjs";

/** Drive the job of a folder; `bytes` reads one of its files. The first road is driven by the module's own expert. */
export async function driveJob(bytes) {
  const [kernel, job] = await Promise.all(["highway.json", "job.json"].map((name) => json(bytes, name)));
  const inputs = new Float64Array((await bytes("actions.bin")).buffer);
  const dice = new Float64Array((await bytes("dice.bin")).buffer);
  const { functions, place, table, grow, fill, view } = await instantiated(await bytes("highway.wasm"));
  const roads = job.scenes.length;
  const places = kernel.slots.map((slot) => place(slot, slot.count ?? roads * slot.per_road));
  const addresses = table(places);
  grow();
  fill(addresses);
  const groups = grouped(places, view);
  groups.numbers.rules.set(Object.values({ ...kernel.rules, supervised: job.supervised }));
  const call = (name, road) => functions.update(addresses.at, road, road + 1, kernel.calls[name]);
  const give = (road, order) => {
    for (const [field, value] of Object.entries(order)) groups.orders[field][road] = value;
    call("give", road);
  };

  // The scenes: everything is 0 in fresh memory.
  groups.scratch.dice.set(dice);
  for (const [road, scene] of job.scenes.entries()) {
    const start = { ...scene, fewest: scene.vehicles, most: scene.vehicles, planned: 0, plan_mode: -1 };
    for (const [field, column] of Object.entries(groups.starts)) column[road] = start[field];
    call("begin", road);
    give(road, { mode: 0, lane: -1, speed_mps: scene.speed_mps, gap_s: kernel.default_gap_s, direction: 0, return_lane: -1 });
  }

  // The drive: inputs are (decisions, 3, roads).
  const { states, record } = recorder(groups, job.fields, job.decisions);
  for (let decision = 0; decision < job.decisions; decision++) {
    for (const { at, road, order } of job.orders) if (at === decision) give(road, order);
    for (const [k, name] of ["throttle", "brake", "lane"].entries()) {
      groups.actions[name].set(inputs.subarray((3 * decision + k) * roads, (3 * decision + k + 1) * roads));
    }
    call("advise", 0);
    functions.update(addresses.at, 0, roads, kernel.calls.drive);
    functions.pose(addresses.at, 0, roads, 0);
    record();
  }
  return states;
}
