import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, createServer, type SecureContext } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { errorCode } from "../../src/errors.ts";
import { causeOf, ProbeFailure } from "../../src/http/failure.ts";
import { handshake } from "../../src/http/handshake.ts";
import { portOf } from "../../src/testbed/server.ts";
import { type AltName, certificateFor } from "../support/certificates.ts";

const hosts = ["a.test", "b.test", "sub.a.test", "xn--bcher-kva.test", "127.0.0.1", "[::1]"];
const dns = (value: string): AltName => ({ type: 2, value });

type Handshake = (host: string, socket: Socket, secureContext: SecureContext) => Promise<unknown>;

const ofMirrorfeed: Handshake = (host, socket, secureContext) =>
  handshake(socket, new URL(`https://${host}/`), { secureContext }, new AbortController().signal);

/** Node.js checks the name by the whole certificate. */
const ofNode: Handshake = (host, socket, secureContext) => {
  const name = host.replaceAll(/[[\]]/g, "");
  const servername = isIP(name) === 0 ? name : "";
  return once(connectTls({ socket, host: name, servername, secureContext }), "secureConnect");
};

/** Returns `accepted`, or the code of the error. */
async function outcomeOf(
  shake: Handshake,
  host: string,
  { port, context }: { port: number; context: SecureContext },
): Promise<string> {
  const socket = connectTcp(port, "127.0.0.1");
  await once(socket, "connect");
  try {
    await shake(host, socket, context);
    return "accepted";
  } catch (error) {
    return (error instanceof ProbeFailure ? causeOf(error) : errorCode(error)) ?? String(error);
  } finally {
    socket.destroy();
  }
}

test.each<[string, string, readonly AltName[], readonly string[]]>([
  ["one name", "a.test", [dns("a.test")], ["a.test"]],
  ["a name other than the subject", "a.test", [dns("b.test")], ["b.test"]],
  ["wildcards", "a.test", [dns("*.test"), dns("*.a.test")], ["sub.a.test"]],
  ["a wildcard in a part", "a.test", [dns("xn--*.test"), dns("s*b.a.test")], ["sub.a.test"]],
  ["a wildcard of everything", "a.test", [dns("*"), dns("*.")], []],
  ["an address", "a.test", [{ type: 7, ip: "127.0.0.1" }], ["a.test", "127.0.0.1"]],
  ["both addresses and a name", "127.0.0.1", [{ type: 7, ip: "::1" }, dns("127.0.0.1")], ["[::1]"]],
  ["an address as a name", "a.test", [dns("127.0.0.1")], []],
  ["a NUL", "b.test", [dns("a.test\0.b.test")], []],
  ["a comma", "b.test", [dns("c.test, DNS:a.test")], []],
  ["a URL with a comma", "a.test", [{ type: 6, value: "http://c.test/, DNS:b.test" }], ["a.test"]],
  ["a quote", "a.test", [dns('"a.test')], []],
  ["an empty name", "a.test", [dns("")], []],
  ["a mail address alone", "a.test", [{ type: 1, value: "me@b.test" }], ["a.test"]],
  ["nothing", "a.test", [], ["a.test"]],
  ["nothing and a wildcard as the subject", "*.test", [], []],
  ["nothing and an address as the subject", "127.0.0.1", [], []],
])(
  "a certificate with %s is accepted for the names that Node.js accepts it for",
  async (_, subject, altNames, accepted) => {
    const { key, cert } = await certificateFor(subject, { altNames });
    const server = createServer({ key, cert });
    server.on("tlsClientError", () => undefined);
    onTestFinished(() => {
      server.close();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const known = { port: portOf(server), context: createSecureContext({ ca: cert }) };
    const outcomes = await Promise.all(
      [ofMirrorfeed, ofNode].map((shake) => Promise.all(hosts.map((host) => outcomeOf(shake, host, known)))),
    );
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(hosts.filter((_, index) => outcomes[0]?.[index] === "accepted")).toEqual(accepted);
  },
);
