import { networkInterfaces, platform } from "node:os";
import { describe, expect, test } from "vitest";
import { startServer } from "../../../support/mirror-server.ts";
import { advertisement, mediaType } from "../../../support/advertisement.ts";
import { closeAfterTest } from "../../../support/close-after-test.ts";
import { startResolver } from "../../../support/name-server.ts";
import { probeUrl } from "../../../support/probing.ts";
import { stallAddress } from "../../../support/stalled-address.ts";

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === "::1");
const body = "001e# service=git-upload-pack\n00000000";
const answer = `HTTP/1.1 200 OK\r\ncontent-type: ${mediaType}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
/** Other tests listen on 127.0.0.1, so its ports are hardly ever in use here. */
const ipv4Address = "127.0.0.9";
const hosts = `::1 mirror.test\n${ipv4Address} mirror.test`;

describe.skipIf(platform() !== "linux" || !hasIpv6)(
  "an address that does not answer (needs Linux and IPv6 loopback)",
  () => {
    /** Stalls both addresses. Each answers after its delay. An address without a delay never answers. */
    async function stallBoth(ipv6Ms?: number, ipv4Ms?: number): Promise<number> {
      const ipv6 = closeAfterTest(await stallAddress("::1", 0, answer));
      const ipv4 = closeAfterTest(await stallAddress(ipv4Address, ipv6.port, answer));
      if (ipv6Ms !== undefined) setTimeout(ipv6.resume, ipv6Ms);
      if (ipv4Ms !== undefined) setTimeout(ipv4.resume, ipv4Ms);
      return ipv6.port;
    }

    test.each<[string, number | undefined, number | undefined]>([
      ["dead IPv6 does not hide slow IPv4", undefined, 600],
      ["dead IPv4 does not hide slow IPv6", 600, undefined],
    ])("%s", async (_, ipv6Ms, ipv4Ms) => {
      const url = `http://mirror.test:${await stallBoth(ipv6Ms, ipv4Ms)}/a`;
      const result = await probeUrl(url, { hosts, timeoutMs: 8000 });
      expect(result.code).toBe("ok");
      expect(result.latency_ms).toBeGreaterThan(600);
    });

    test("an address that comes late from the name server is still tried", async () => {
      const port = await stallBoth(undefined, 0);
      const { resolver } = await startResolver((_, family) =>
        family === 6 ? { addresses: ["::1"] } : { addresses: [ipv4Address], afterMs: 300 },
      );
      const result = await probeUrl(`http://mirror.test:${port}/a`, { resolver, timeoutMs: 3000 });
      expect(result.code).toBe("ok");
    });
  },
);

test.each([
  ["a machine without IPv6 does not call a mirror down that has only IPv6", "2001:db8::1", false, "no_route"],
  ["a machine without IPv6 uses the other address", "2001:db8::1 127.0.0.1", false, "ok"],
  ["an address that refuses does not hide the next one", "127.0.0.2 127.0.0.1", true, "ok"],
])("%s", async (_, addresses, ipv6, code) => {
  const server = closeAfterTest(await startServer(advertisement()));
  const hosts = addresses.replaceAll(/\S+/g, "$& mirror.test\n");
  const options = { hosts, families: { ipv4: true, ipv6 } };
  const result = await probeUrl(`http://mirror.test:${server.port}/a`, options);
  expect(result).toMatchObject({ code, attempts: 1 });
  if (code === "ok") expect(result.latency_ms).toBeLessThan(250);
});
