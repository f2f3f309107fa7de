import { describe, expect, test } from "vitest";
import { advertisement } from "../../../support/advertisement.ts";
import { misbehaviours } from "../../../support/misbehaviours.ts";
import { closeAfterFile, closeAfterTest } from "../../../support/close-after-test.ts";
import { startServer } from "../../../support/mirror-server.ts";
import { hasRoute, isPublic, machineFamilies } from "../../../../src/core/base/http/address.ts";
import { addressesOf, startResolver } from "../../../support/name-server.ts";
import { probeUrl } from "../../../support/probing.ts";

const notPublic = `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.255 168.63.129.16 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255 :: ::1
  ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::
  fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1 ::ffff:1.1.1.1 ::ffff:0:127.0.0.1 100:0:0:1::1 1fff::1 4000::1 5f00::1`;
const ofInternet = "1.1.1.1 100.63.255.255 172.15.0.1 172.32.0.1 192.0.3.1 223.255.255.255 2606:4700::1111";

test.each([
  ...notPublic.split(/\s+/).map((address) => [address, false] as const),
  ...ofInternet.split(" ").map((address) => [address, true] as const),
])("whether %s is of the public internet: %s", (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});

const server = closeAfterFile(await startServer(advertisement()));

describe("every spelling of a private address is refused before anything is sent", () => {
  const spellings =
    "127.1 0x7f.1 2130706433 0177.0.0.1 127.0.0.1. [::1] [::ffff:7f00:1] ①②⑦.0.0.1 a.localhost";

  test.each(spellings.split(" "))("%s", async (host) => {
    const result = await probeUrl(`http://${host}:${server.port}/a`, { isAllowed: isPublic, attempts: 3 });
    expect(result).toMatchObject({ code: "blocked_address", attempts: 1 });
    expect(server.requests).toBe(0);
  });

  test("a name that resolves to one", async () => {
    const { resolver } = await startResolver(addressesOf(["127.0.0.1"], ["::1"]));
    const result = await probeUrl(`http://mirror.test:${server.port}/a`, { isAllowed: isPublic, resolver });
    expect(result.code).toBe("blocked_address");
  });

  test("the address that was checked is the one connected to, whatever the name says the next time", async () => {
    let asked = 0;
    const resolver = {
      close: () => undefined,
      resolve: () => {
        asked += 1;
        const first = [asked === 1 ? "192.0.2.1" : "127.0.0.1"];
        return Promise.resolve({ first, rest: Promise.resolve([]) });
      },
    };
    const options = { isAllowed: isPublic, resolver, timeoutMs: 300 };
    const result = await probeUrl(`http://mirror.test:${server.port}/a`, options);
    expect(result.code).toBe("blocked_address");
    expect(asked).toBe(1);
    expect(server.requests).toBe(0);
  });
});

test("each hop of a redirect is checked", async () => {
  const meta = `http://169.254.169.254:${server.port}/latest/meta-data`;
  const outer = closeAfterTest(await startServer(misbehaviours.redirect(meta)));
  const isAllowed = (address: string) => address === "127.0.0.1";
  expect((await probeUrl(`${outer.url}/a`, { isAllowed })).code).toBe("blocked_address");
  expect(outer.requests).toBe(1);
});

describe("the ways out of a machine", () => {
  const interfaceOf = (address: string, internal = false) =>
    ({ address, family: address.includes(":") ? "IPv6" : "IPv4", internal }) as const;
  const targets = ["1.1.1.1", "2606:4700::1111", "fd00::9", "10.0.0.9", "127.0.0.1"];

  test.each<[string, string[], string[]]>([
    ["of both families lead everywhere", ["192.168.1.2", "2001:470::2"], targets],
    ["of IPv4 alone", ["192.168.1.2", "fe80::1"], ["1.1.1.1", "10.0.0.9", "127.0.0.1"]],
    ["of IPv6 alone", ["2001:470::2"], ["2606:4700::1111", "fd00::9", "127.0.0.1"]],
    [
      "with a local IPv6 lead to no IPv6 of the internet",
      ["192.168.1.2", "fd00::2"],
      ["1.1.1.1", "fd00::9", "10.0.0.9", "127.0.0.1"],
    ],
    ["that are hidden are taken for all", [], targets],
  ])("%s", (_, addresses, expected) => {
    const families = machineFamilies({
      lo: [interfaceOf("127.0.0.1", true)],
      eth0: addresses.map((one) => interfaceOf(one)),
    });
    expect(targets.filter((target) => hasRoute(target, families))).toEqual(expected);
  });
});

test("of a name with many addresses eight of each family are tried", async () => {
  const tried: string[] = [];
  const numbers = [...Array(12).keys()];
  const ipv4 = numbers.map((number) => `127.0.0.${number}`);
  const ipv6 = numbers.map((number) => `2001:db8:0:0:0:0:0:${number}`);
  const { resolver } = await startResolver(addressesOf(ipv4, ipv6));
  const isAllowed = (address: string): boolean => {
    tried.push(address);
    return false;
  };
  expect((await probeUrl("http://mirror.test/a", { isAllowed, resolver })).code).toBe("blocked_address");
  expect(tried.filter((address) => address.includes(":"))).toHaveLength(8);
  expect(tried.filter((address) => address.includes("."))).toHaveLength(8);
});
