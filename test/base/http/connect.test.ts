import { networkInterfaces, platform } from "node:os";
import { describe, expect, test } from "vitest";
import { advertisement } from "../../support/advertisement.ts";
import { startServer } from "../../../src/testbed/server.ts";
import { parseHosts } from "../../../src/base/http/resolve.ts";
import { createResolver } from "../../../src/base/http/resolve.ts";
import { probeUrl } from "../../support/probing.ts";
import { startNameServer } from "../../support/name-server.ts";
import { stallAddress } from "../../support/stalled-address.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === "::1");
const body = "001e# service=git-upload-pack\n00000000";
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/x-git-upload-pack-advertisement\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

function both(port: number): { url: string; resolver: ReturnType<typeof createResolver> } {
  const resolver = createResolver(parseHosts("::1 mirror.test\n127.0.0.1 mirror.test"));
  return { url: `http://mirror.test:${port}/a`, resolver };
}

describe.skipIf(platform() !== "linux" || !hasIpv6)(
  "an address that does not answer (needs Linux and IPv6 loopback)",
  () => {
    test("dead IPv6 beside slow IPv4 does not fail", async () => {
      const dead = closeAfterTest(await stallAddress("::1"));
      const slow = closeAfterTest(await stallAddress("127.0.0.1", dead.port, answer));
      setTimeout(slow.resume, 600);
      const { url, resolver } = both(dead.port);
      const result = await probeUrl(url, { resolver, timeoutMs: 8000 });
      expect(result.code).toBe("ok");
      expect(result.latency_ms).toBeGreaterThan(600);
    });

    test("slow IPv6 beside dead IPv4 does not fail", async () => {
      const slow = closeAfterTest(await stallAddress("::1", 0, answer));
      const dead = closeAfterTest(await stallAddress("127.0.0.1", slow.port));
      setTimeout(slow.resume, 600);
      const { url, resolver } = both(dead.port);
      const result = await probeUrl(url, { resolver, timeoutMs: 8000 });
      expect(result.code).toBe("ok");
      expect(result.latency_ms).toBeGreaterThan(600);
    });

    test("dead both is a timeout at the deadline", async () => {
      const dead = closeAfterTest(await stallAddress("::1"));
      closeAfterTest(await stallAddress("127.0.0.1", dead.port));
      const { url, resolver } = both(dead.port);
      expect((await probeUrl(url, { resolver, timeoutMs: 800 })).code).toBe("timeout");
    });

    test("an address that comes late from the name server is still tried", async () => {
      const dead = closeAfterTest(await stallAddress("::1"));
      const good = closeAfterTest(await stallAddress("127.0.0.1", dead.port, answer));
      good.resume();
      const names = closeAfterTest(
        await startNameServer((_, family) =>
          family === 6 ? { addresses: ["::1"] } : { addresses: ["127.0.0.1"], afterMs: 300 },
        ),
      );
      const resolver = createResolver(new Map(), [names.address]);
      expect((await probeUrl(`http://mirror.test:${dead.port}/a`, { resolver, timeoutMs: 3000 })).code).toBe(
        "ok",
      );
      resolver.close();
    });
  },
);

describe("a machine without a family", () => {
  test("does not call a mirror down that has only the other", async () => {
    const names = closeAfterTest(
      await startNameServer((_, family) => ({ addresses: family === 6 ? ["2001:db8:0:0:0:0:0:1"] : [] })),
    );
    const resolver = createResolver(new Map(), [names.address]);
    const result = await probeUrl("http://mirror.test/a", {
      resolver,
      families: { ipv4: true, ipv6: false },
    });
    expect(result).toMatchObject({ code: "no_route", attempts: 1 });
    resolver.close();
  });

  test("uses the address of the family it has", async () => {
    const server = closeAfterTest(await startServer(advertisement()));
    const resolver = createResolver(parseHosts("2001:db8::1 mirror.test\n127.0.0.1 mirror.test"));
    const result = await probeUrl(`http://mirror.test:${server.port}/a`, {
      resolver,
      families: { ipv4: true, ipv6: false },
    });
    expect(result.code).toBe("ok");
    expect(result.latency_ms).toBeLessThan(250);
  });
});

test("refused by one address and served by the next is ok", async () => {
  const server = closeAfterTest(await startServer(advertisement()));
  const resolver = createResolver(parseHosts("127.0.0.2 mirror.test\n127.0.0.1 mirror.test"));
  expect((await probeUrl(`http://mirror.test:${server.port}/a`, { resolver })).code).toBe("ok");
});
