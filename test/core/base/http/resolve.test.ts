import { describe, expect, test } from "vitest";
import { InputError } from "../../../../src/core/base/errors.ts";
import { createResolver, parseHosts } from "../../../../src/core/base/http/resolve.ts";
import { addressesOf, type Reply, startResolver } from "../../../support/name-server.ts";
import { probeUrl } from "../../../support/probing.ts";

const never = new AbortController().signal;

describe("a name", () => {
  test("has the addresses of both families, IPv6 first and in turn", async () => {
    const both = addressesOf(["192.0.2.1", "192.0.2.2"], ["2001:db8:0:0:0:0:0:1"]);
    const { resolver } = await startResolver(both);
    const { first } = await resolver.resolve("git.example.test", never);
    expect(first).toEqual(["2001:db8::1", "192.0.2.1", "192.0.2.2"]);
  });

  test("whose answer is malformed takes none from others that are asked with it", async () => {
    // An AAAA record with an IPv4 address is too short, so the answer is malformed.
    const { resolver } = await startResolver((name, family) =>
      name.startsWith("bad") && family === 6
        ? { addresses: ["192.0.2.6"] }
        : { addresses: family === 4 ? ["192.0.2.1"] : [], afterMs: 100 },
    );
    const names = ["good", "bad", "other", "bad-too", "third"].map((name) => `${name}.example.test`);
    const answers = await Promise.all(names.map(async (name) => resolver.resolve(name, never)));
    expect(answers.map(({ first }) => first)).toEqual(names.map(() => ["192.0.2.1"]));
  });

  test("does not wait for a family that never answers, but takes it when it comes", async () => {
    const { resolver } = await startResolver((_, family) =>
      family === 4 ? { addresses: ["192.0.2.1"], afterMs: 300 } : { addresses: ["2001:db8:0:0:0:0:0:1"] },
    );
    const { first, rest } = await resolver.resolve("git.example.test", never);
    expect(first).toEqual(["2001:db8::1"]);
    expect(await rest).toEqual(["192.0.2.1"]);
  });

  test("is asked once for the run, also by many at once", async () => {
    const { resolver, server } = await startResolver(addressesOf(["192.0.2.1"], []));
    await Promise.all(Array.from({ length: 50 }, async () => resolver.resolve("git.example.test", never)));
    await resolver.resolve("GIT.example.test.", never);
    expect(server.queries).toHaveLength(2);
  });

  test.each<Reply>(["nxdomain", "servfail", { addresses: [] }])(
    "without an address fails as dns, and is asked again (%s)",
    async (reply) => {
      const { resolver, server } = await startResolver(() => reply);
      await expect(resolver.resolve("git.example.test", never)).rejects.toMatchObject({ code: "dns" });
      const asked = server.queries.length;
      await expect(resolver.resolve("git.example.test", never)).rejects.toMatchObject({ code: "dns" });
      expect(server.queries.length).toBeGreaterThan(asked);
    },
  );

  test("without any answer fails as dns at the deadline", async () => {
    const { resolver } = await startResolver(() => "silence");
    const started = performance.now();
    const result = await probeUrl("http://git.example.test/a", { resolver, timeoutMs: 200 });
    expect(result).toMatchObject({ code: "dns", phase: "resolve" });
    // The failure comes long before the query to the name server would time out.
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test("in the hosts file is not asked for", async () => {
    const { resolver, server } = await startResolver(() => "silence", "192.0.2.7 git.example.test # the one");
    expect((await resolver.resolve("git.example.test", never)).first).toEqual(["192.0.2.7"]);
    expect(server.queries).toEqual([]);
  });

  test.each(["localhost", "a.localhost", "localhost."])("%s is this machine (RFC 6761)", async (name) => {
    const { resolver } = await startResolver(() => "silence");
    expect((await resolver.resolve(name, never)).first).toEqual(["127.0.0.1", "::1"]);
  });
});

test("a hosts file", () => {
  const hosts = parseHosts(
    "# comment\n127.0.0.1\tlocalhost  Loop.example\r\n::1 localhost\nnot-an-address x\n\n192.0.2.1 a b#c\n",
  );
  expect(Object.fromEntries(hosts)).toEqual({
    localhost: ["127.0.0.1", "::1"],
    "loop.example": ["127.0.0.1"],
    a: ["192.0.2.1"],
    b: ["192.0.2.1"],
  });
});

test("a name server that is not an address is an input error", () => {
  expect(() => createResolver(new Map(), ["nowhere"])).toThrow(InputError);
});
