import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const program = `
  const [host, port, answer] = process.argv.slice(1);
  const server = require("node:net").createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(answer));
  });
  server.listen({ host, port: Number(port), backlog: 1 }, () => process.stdout.write(String(server.address().port)));
`;

/**
 * Makes an address that accepts no connections, like one behind a dead route. By default, the system chooses the port. The
 * server's process is stopped and its queue is full, so the kernel drops further handshakes. After `resume` it accepts and
 * sends `answer`. A waiting client connects with its next SYN, about a second after its first.
 */
export async function stallAddress(host: string, port = 0, answer = "") {
  const child = spawn(process.execPath, ["-e", program, host, String(port), answer], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const started = once(child.stdout, "data") as Promise<[Buffer]>;
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`${host} has no port ${port}.`)));
  const [chunk] = await Promise.race([started, failed]);
  const chosen = Number(chunk.toString());
  child.kill("SIGSTOP");
  const fillers = await fillQueue(host, chosen);
  return {
    port: chosen,
    resume: () => {
      for (const socket of fillers) socket.destroy();
      child.kill("SIGCONT");
    },
    close: () => end(child, fillers),
  };
}

async function fillQueue(host: string, port: number): Promise<Socket[]> {
  const fillers: Socket[] = [];
  for (let full = false; !full;) {
    const socket = connect({ host, port });
    socket.on("error", () => undefined);
    fillers.push(socket);
    full = await Promise.race([
      once(socket, "connect").then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 150, true)),
    ]);
  }
  return fillers;
}

async function end(child: ChildProcess, fillers: readonly Socket[]): Promise<void> {
  for (const socket of fillers) socket.destroy();
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
