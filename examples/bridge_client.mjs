// Drives a car from plain JavaScript, without a package: start `hotlap bridge`, then
//   node examples/bridge_client.mjs                           (Node 22 and later, or any browser)
//   node --experimental-websocket examples/bridge_client.mjs  (Node 20)
const [url = "ws://127.0.0.1:9876", ticks = "600"] = process.argv.slice(2);
const socket = new WebSocket(url);
const request = (message) => socket.send(JSON.stringify(message));
let left = Number(ticks);

socket.onopen = () => request({ type: "reset", trackId: "track-01" });
socket.onerror = () => {
  console.error(`nobody answers at ${url}. Start a server with: hotlap bridge`);
  process.exitCode = 2;
};
socket.onmessage = ({ data }) => {
  const { observation, info, type, message } = JSON.parse(data);
  if (type === "error") throw new Error(message);
  if (left-- <= 0) {
    console.log(`lap ${info.lap}, gate ${info.checkpoint}, ${info.rawSpeed.toFixed(1)} u/s`);
    socket.close();
    return;
  }
  const steer = 4 * (observation[2] - observation[6]); // towards the side with more room
  request({ type: "step", action: [Math.max(-1, Math.min(1, steer)), 0.5, 0] });
};
