import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { listenOnLoopback } from "./loopback.ts";

/**
 * Starts a forward proxy (RFC 9110, section 9.3.6) that tunnels to the address that `map` returns, and records the requested
 * hosts. Answers 407 without the required password, and 502 if `map` returns no address.
 */
export async function startForwardProxy(map: (target: string) => string | undefined, password?: string) {
  const reached: string[] = [];
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => socket.destroy());
  });
  server.on("connect", (request, client: Socket) => {
    const target = request.url ?? "";
    reached.push(target);
    const expected = password === undefined ? undefined : `Basic ${Buffer.from(password).toString("base64")}`;
    if (request.headers["proxy-authorization"] !== expected) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const to = map(target);
    if (to === undefined) {
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    const { hostname, port } = new URL(`http://${to}`);
    const upstream = connect({ host: hostname, port: Number(port) }, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.once("close", () => upstream.destroy());
  });
  const { url, close } = await listenOnLoopback(server);
  return { url, reached, close };
}
