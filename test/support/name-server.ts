import { createResolver, parseHosts } from "../../src/core/base/http/resolve.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { createSocket } from "node:dgram";
import { once } from "node:events";

/** The answer to one question: addresses after a delay, no such name, an error, or nothing. */
export type Reply =
  | { readonly addresses: readonly string[]; readonly afterMs?: number }
  | "nxdomain"
  | "servfail"
  | "silence";

/** Replies to every question with these addresses. */
export function addressesOf(ipv4: readonly string[], ipv6: readonly string[]) {
  return (_: string, family: 4 | 6): Reply => ({ addresses: family === 4 ? ipv4 : ipv6 });
}

/** Starts a DNS server for A and AAAA questions (RFC 1035, section 4; RFC 3596). It records them in `queries`. */
export async function startNameServer(reply: (name: string, family: 4 | 6) => Reply) {
  const socket = createSocket("udp4");
  const queries: string[] = [];
  let closed = false;
  socket.on("message", (message, { port, address }) => {
    const { name, type, end } = readQuestion(message);
    const family = type === 28 ? 6 : 4;
    queries.push(`${name} ${family}`);
    const given = reply(name, family);
    if (given === "silence") return;
    const addresses = typeof given === "object" ? given.addresses : [];
    const code = given === "nxdomain" ? 3 : given === "servfail" ? 2 : 0;
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((text) => record(type, family === 4 ? ipv4(text) : ipv6(text)));
    const answer = Buffer.concat([header, message.subarray(12, end), ...records]);
    setTimeout(
      () => {
        if (!closed) socket.send(answer, port, address);
      },
      typeof given === "object" ? (given.afterMs ?? 0) : 0,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: async () => {
      closed = true;
      const ended = once(socket, "close");
      socket.close();
      await ended;
    },
  };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function ipv4(text: string): Buffer {
  return Buffer.from(text.split(".").map(Number));
}

/** Supports only `::1` and addresses written out in full, because the tests use no others. */
function ipv6(text: string): Buffer {
  if (text === "::1") return Buffer.from([...Array<number>(15).fill(0), 1]);
  return Buffer.concat(text.split(":").map((group) => Buffer.from(group.padStart(4, "0"), "hex")));
}

/** Starts a name server until the test ends, with a resolver that asks it. `hosts` is the content of a hosts file. */
export async function startResolver(reply: (name: string, family: 4 | 6) => Reply, hosts = "") {
  const server = closeAfterTest(await startNameServer(reply));
  return { resolver: closeAfterTest(createResolver(parseHosts(hosts), [server.address])), server };
}
