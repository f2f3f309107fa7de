import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProbeContext } from "../../src/kinds/kind.ts";
import { findInGzip, spreadSamples, withSamples } from "../../src/kinds/mirror-files.ts";

const digest = "0".repeat(32);
const context: ProbeContext = {
  isPrimary: true,
  reference: undefined,
  now: 0,
  turn: 0,
  tryRequest: () => Promise.resolve(undefined),
  verifySignature: () => Promise.resolve(undefined),
};

describe("a list that is compressed with gzip", () => {
  const pattern = /<a href="([^"]+)"\/>/g;

  test("gives every match, wherever its text is cut", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 200 }), async (offset) => {
      const names = Array.from({ length: 20_000 }, (_, place) => `name-${place}`);
      const text = " ".repeat(offset) + names.map((name) => `<a href="${name}"/>`).join("");
      expect(await findInGzip(gzipSync(text), pattern)).toEqual(names);
    });
    await fc.assert(property, { numRuns: 10 });
  });

  test("is read up to 64 MiB of its text", async () => {
    const blank = Buffer.alloc(64 * 1024 * 1024, " ");
    const list = Buffer.concat([Buffer.from('<a href="first"/>'), blank, Buffer.from('<a href="last"/>')]);
    expect(await findInGzip(gzipSync(list), pattern)).toEqual(["first"]);
  });

  test.each([
    ["not compressed", Buffer.from('<a href="a"/>')],
    ["cut off", gzipSync('<a href="a"/>').subarray(0, -4)],
    ["empty", Buffer.alloc(0)],
  ])("is malformed if it is %s", async (_, body) => {
    expect((await findInGzip(body, pattern)) ?? []).toEqual([]);
  });
});

describe("samples", () => {
  const paths = Array.from({ length: 100 }, (_, place) => `p/${place}`);

  test("are spread over all paths, and others for another digest", () => {
    const samples = spreadSamples(paths, digest);
    expect(samples).toHaveLength(16);
    expect(samples.slice(0, 3)).toEqual(["p/0", "p/6", "p/12"]);
    const others = spreadSamples(paths, "f".repeat(32));
    expect(others[0]).toBe("p/6");
    expect(others.at(-1)).toBe("p/99");
    expect(spreadSamples(paths.slice(0, 3), digest)).toEqual(["p/0", "p/1", "p/2"]);
    expect(spreadSamples([], digest)).toEqual([]);
    expect(spreadSamples(paths, digest, 2)).toEqual(["p/0", "p/50"]);
  });
});

test("no more than four lists are read at once", async () => {
  const open: (() => void)[] = [];
  let started = 0;
  const read = async (): Promise<readonly string[]> => {
    started += 1;
    await new Promise<void>((resolve) => open.push(resolve));
    return ["a"];
  };
  const found = { code: "ok", revision: "r" } as const;
  const reading = Array.from({ length: 10 }, () =>
    withSamples("https://a.example.org/", found, context, read),
  );
  for (const expected of [4, 5, 6, 7, 8, 9, 10]) {
    await setImmediate();
    expect(started).toBe(expected);
    open.shift()?.();
  }
  for (const close of open) close();
  for (const { index } of await Promise.all(reading)) expect(index).toEqual({ files: ["a"] });
});
