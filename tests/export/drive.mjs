// node drive.mjs FOLDER: drives the job in a folder with the browser's physics and writes states.bin there.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drive } from "./physics.mjs";

const folder = process.argv[2];
const bytes = (name) => new Uint8Array(readFileSync(join(folder, name)));
const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf-8"));
const states = await drive({
  kernel: json("kernel.json"),
  wasm: bytes("racer.wasm"),
  track: json("track.json"),
  tables: bytes("track.bin"),
  job: json("job.json"),
  actions: new Float64Array(bytes("actions.bin").buffer),
});
writeFileSync(join(folder, "states.bin"), new Uint8Array(states.buffer));
