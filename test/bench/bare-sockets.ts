import { readFileSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";

// The minimum work of a prober in Node.js: for each URL in a file a connection, a request, and the first packet of the
// answer. It follows no redirect, and checks only the status.
const [, , file = "", parallel = ""] = process.argv;
const urls = readFileSync(file, "utf8").trim().split("\n");
let started = 0;
let good = 0;

function askNext(): void {
  const text = urls[started];
  if (text === undefined) return;
  started += 1;
  const { host, hostname, port, pathname, search } = new URL(text);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("connect", () => socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`));
  socket.once("data", (packet) => {
    if (packet.toString("latin1").startsWith("HTTP/1.1 200")) good += 1;
    socket.destroy();
  });
  // A mirror that refuses is not counted as good.
  socket.on("error", () => socket.destroy());
  socket.on("close", askNext);
}

for (let place = 0; place < Number(parallel); place += 1) askNext();
process.on("exit", () => {
  process.stdout.write(String(good));
});
