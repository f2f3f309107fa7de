import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { portOf } from "./server.ts";

export interface RefusedPort {
  /** Scheme, address and port, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/**
 * Holds a port of 127.0.0.1 that refuses connections until it is closed. A freed port could go to another program at
 * any time. This one is the near end of a connection, so nothing can listen on it.
 */
export async function holdRefusedPort(): Promise<RefusedPort> {
  const far: Socket[] = [];
  const server = createServer((socket) => far.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Linux lends a port that it chose itself to other connections too: one to this port could be given it, and reach itself.
  const near = connect({ port: portOf(server), host: "127.0.0.1", localAddress: "127.0.0.1" });
  await once(near, "connect");
  const port = near.localPort;
  if (port === undefined) throw new Error("The connection that holds a port has none.");
  async function close(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    for (const socket of [near, ...far]) socket.destroy();
    await closed;
  }
  return { url: `http://127.0.0.1:${port}`, port, close };
}
