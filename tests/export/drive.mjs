// node drive.mjs WORLD FOLDER: drives the job in a folder with the browser's physics and writes states.bin there.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [world, folder] = process.argv.slice(2);
const { driveJob } = await import(`./${world}.mjs`);
const bytes = async (name) => new Uint8Array(await readFile(join(folder, name)));
const states = await driveJob(bytes);
await writeFile(join(folder, "states.bin"), new Uint8Array(states.buffer));
