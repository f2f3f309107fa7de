import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { env, getuid } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "../features/hosts/engine.ts";
import { freePort } from "./loopback.ts";

/** Whether root runs the tests. A server that root starts must be told which user to run as. */
export const isRoot = getuid?.() === 0;

export const address = "127.0.0.1";

/** How long a server may take to start on a busy machine. */
const patienceMs = 100_000;

/**
 * Runs a web server in the foreground and waits until it answers. If another process takes its port first, it tries a
 * different one.
 */
export async function startServer(
  program: string,
  prepare: (port: number) => readonly string[],
  folder: string,
): Promise<Engine> {
  const deadline = Date.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    const started = await tryServer(program, prepare, folder, deadline);
    if (!("failure" in started)) return started;
    const isTaken = /in use|already bound/i.test(started.failure);
    if (!isTaken || attempt === 5) throw new Error(`${program} does not listen: ${started.failure}`);
  }
}

async function tryServer(
  program: string,
  prepare: (port: number) => readonly string[],
  folder: string,
  deadline: number,
): Promise<Engine | { readonly failure: string }> {
  const port = await freePort();
  const homes = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const PATH = `${env["PATH"] ?? ""}:/usr/sbin`;
  const server = spawn(program, prepare(port), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, ...homes, PATH },
  });
  let said = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-10_000)));
  }
  const ended = once(server, "close");
  const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
  const close = async (): Promise<void> => {
    if (!hasEnded()) server.kill("SIGTERM");
    await ended;
  };
  while (!(await isOpen(port))) {
    if (!hasEnded() && Date.now() < deadline) {
      await delay(20);
      continue;
    }
    await close();
    return { failure: said };
  }
  return { url: `http://${address}:${port}`, close };
}

/** Whether something listens on the port. */
export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
