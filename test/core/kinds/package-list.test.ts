import { execFileSync } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  firstGroup,
  type ListFormat,
  scanList,
  spreadSamples,
} from "../../../src/core/kinds/package-list.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";

const format: ListFormat = {
  separator: "</a>",
  path: firstGroup(/<a href="(.*?)\/>/),
  size: firstGroup(/<size>(\d+)</),
};
const noAbort = new AbortController().signal;
const MiB = 1024 * 1024;

async function* sent(bytes: Buffer, size = 16 * 1024): AsyncGenerator<Buffer, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
}

function scan(bytes: Buffer, size?: number) {
  return scanList(sent(bytes, size), format, noAbort);
}

async function pathsOf(bytes: Buffer, size?: number): Promise<readonly string[]> {
  return (await scan(bytes, size)).files.map(({ path }) => path);
}

/** The paths of 400 packages, and the text of a list of any number. */
const names = Array.from({ length: 400 }, (_, place) => `name-${place}`);
const text = (count: number): string =>
  Array.from({ length: count }, (_, place) => `<a href="name-${place}/></a>`).join("");

describe("a list", () => {
  test("gives every path of a few, wherever its text is cut, compressed or not", async () => {
    const property = fc.asyncProperty(fc.integer({ min: 2, max: 99 }), fc.boolean(), async (size, isGzip) => {
      const bytes = Buffer.from(text(400));
      expect(await pathsOf(isGzip ? gzipSync(bytes) : bytes, size)).toEqual(names);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test("gives the size of a package too, if it has one", async () => {
    const texts = ['<a href="a/><size>12</size></a>', '<size>34</size><a href="b/></a>', '<a href="c/>'];
    const files = [{ path: "a", size: 12 }, { path: "b", size: 34 }, { path: "c" }];
    for (const size of [1, 7, 100])
      expect((await scan(Buffer.from(texts.join("")), size)).files).toEqual(files);
  });

  test.each([513, 1024, 1025, 40_000])("gives some of %i, evenly spread", async (count) => {
    const paths = await pathsOf(gzipSync(text(count)));
    expect(paths.length).toBeGreaterThan(256);
    expect(paths.length).toBeLessThanOrEqual(512);
    const places = paths.map((path) => Number(path.slice(5)));
    const [first, second = NaN] = places;
    expect(places).toEqual(places.map((_, turn) => turn * second));
    expect([first, count - (places.at(-1) ?? NaN) <= second]).toEqual([0, true]);
  });

  test("gives every one of many, over several windows", async () => {
    const bytes = gzipSync(text(3000));
    const windows = Array.from({ length: 8 }, (_, window) =>
      scanList(sent(bytes), format, noAbort, { window }),
    );
    const lists = await Promise.all(windows);
    expect(lists.map(({ step }) => step)).toEqual(lists.map(() => 8));
    expect(new Set(lists.flatMap(({ files }) => files.map(({ path }) => path))).size).toBe(3000);
  });

  test("has its size, its digest and its end, also if its text is malformed or is not searched to its end", async () => {
    const texts = [text(1), " ".repeat(65 * MiB), text(9)];
    const long = gzipSync(texts.join(""));
    const damaged = Buffer.from(gzipSync(text(99))).fill(7, 20, 60);
    for (const [bytes, files] of [
      [Buffer.concat([long, Buffer.alloc(MiB)]), [{ path: "name-0" }]],
      [Buffer.concat([damaged, Buffer.alloc(MiB)]), []],
    ] as const) {
      const end = bytes.subarray(-512);
      const found = { size: bytes.length, digest: hash("sha256", bytes), end, step: 1, files };
      expect(await scan(bytes)).toEqual(found);
    }
    expect((await scan(Buffer.from("short"))).end.toString()).toBe("short");
  });

  const bomb = gzipSync(Buffer.alloc(4 * MiB));

  test.each<[string, Buffer, number?]>([
    ["cut off", gzipSync(text(9)).subarray(0, -4)],
    ["said to be zstd", Buffer.concat([Buffer.from("28b52ffd", "hex"), Buffer.alloc(MiB)])],
    ["said to be xz", Buffer.concat([Buffer.from("fd377a585a00", "hex"), Buffer.alloc(MiB)])],
    ["a bomb", Buffer.concat(Array.from({ length: 1000 }, () => bomb))],
    ["one path of 16 MiB", Buffer.from(`<a href="${"x".repeat(16 * MiB)}`)],
    ["one byte at a time", Buffer.alloc(10_000), 1],
  ])("has no path if it is %s", async (_, bytes, size) => {
    expect(await pathsOf(bytes, size)).toEqual([]);
  });

  test("keeps nothing of a long path, and few of 4 million", async () => {
    const long = `<a href="${"x".repeat(100_000)}/></a>`;
    const paths = await pathsOf(gzipSync(`${long}${text(1)}`));
    expect(paths.at(-1)).toBe("name-0");
    for (const path of paths) expect(path.length).toBeLessThanOrEqual(1000);
    expect((await pathsOf(gzipSync('<a href="/></a>'.repeat(4_000_000)))).length).toBeLessThanOrEqual(512);
  });

  test("is abandoned at the deadline, even in the middle of data", async () => {
    const controller = new AbortController();
    const reading = scanList(sent(bomb), format, controller.signal);
    controller.abort(new Error("deadline"));
    await expect(reading).rejects.toThrow("deadline");
  });
});

describeWith(
  "zstd, xz and bzip2",
  ["zstd", "xz", "bzip2"].every(findProgram),
  "a list compressed with another program than gzip",
  () => {
    function compress(command: string, input: string | Buffer = text(400)): Buffer {
      const [program = "", ...options] = command.split(" ");
      return execFileSync(program, [...options, "-c"], { input, maxBuffer: 64 * MiB, stdio: "pipe" });
    }

    test.each(["zstd -q", "zstd -q -19 --no-check", "xz", "xz -9e --check=crc32"])(
      "gives every path of what %s made, wherever it is cut, and many at once",
      async (command) => {
        const bytes = compress(command);
        const lists = await Promise.all([7, 100, 9999].map((size) => pathsOf(bytes, size)));
        expect(lists).toEqual([names, names, names]);
      },
    );

    /** Returns the block in which xz compresses an input. The footer says how long the index after the block is. */
    function xzBlock(input: string | Buffer): Buffer {
      const bytes = compress("xz -0", input);
      const index = 4 * (bytes.readUInt32LE(bytes.length - 8) + 1);
      return bytes.subarray(12, -12 - index);
    }
    const long = Buffer.concat([Buffer.from(text(400)), randomBytes(17 * MiB)]);

    test.each<[string, () => Buffer]>([
      ["zstd", () => compress("zstd -q", long)],
      ["gzip", () => gzipSync(long, { level: 0 })],
      [
        "xz",
        // xz would take seconds to compress all of the noise.
        () => {
          const noisy = Array<Buffer>(17).fill(xzBlock(long.subarray(-MiB)));
          return Buffer.concat([compress("xz -0", "").subarray(0, 12), xzBlock(text(400)), ...noisy]);
        },
      ],
    ])("of %s is searched in its first part, if it is too long", async (_, make) => {
      const bytes = make();
      expect(await pathsOf(bytes.subarray(0, 16 * MiB))).toEqual(names);
      expect(await pathsOf(bytes.subarray(0, 15 * MiB))).toEqual([]);
    });

    test.each(["zstd -q", "xz"])("has no path if %s made it and it is damaged", async (command) => {
      const bytes = compress(command);
      const places = Array.from({ length: 40 }, (_, turn) => Math.floor((turn * bytes.length) / 40));
      for (const place of places) {
        expect(await pathsOf(bytes.subarray(0, place))).toEqual([]);
        const damaged = Buffer.from(bytes).fill(0xff, place, place + 9);
        expect(names).toEqual(expect.arrayContaining([...(await pathsOf(damaged))]));
      }
    });

    test.each(["zstd -q --ultra -22 --long=28", "xz --lzma2=dict=128MiB", "bzip2"])(
      "has no path if it is made by %s",
      async (command) => {
        expect(await pathsOf(compress(command))).toEqual([]);
      },
    );
  },
);

describe("samples", () => {
  const filesOf = (count: number) => Array.from({ length: count }, (_, place) => ({ path: `p/${place}` }));

  test("are spread over all files, and the groups have each file in turn", () => {
    const places = spreadSamples(filesOf(1000), 3).map(({ path }) => Number(path.slice(2)));
    expect(new Set(places.map((place) => Math.floor(place / 125))).size).toBe(8);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 512 }), fc.nat(999), (count, first) => {
        const groups = Array.from({ length: Math.ceil(count / 16) }, (_, group) => first + group);
        const found = groups.flatMap((group) => spreadSamples(filesOf(count), group));
        expect(new Set(found.slice(0, count).map(({ path }) => path)).size).toBe(count);
      }),
      { numRuns: 50 },
    );
    expect(spreadSamples([], 1)).toEqual([]);
  });

  test("are never outside of the mirror, and need no encoding", () => {
    const outside = ["../a.deb", "a/../../b.deb", "/etc/passwd", "https://x/a.deb#b"];
    const files = [...outside, "a b.deb", "a%2e.deb", "a?b.deb", "ok.deb"].map((path) => ({ path }));
    expect(spreadSamples(files, 0)).toEqual([{ path: "ok.deb" }]);
  });
});
