import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { feedOf, mirror, serveRoutes, target } from "../support/serving.ts";

const source = join(import.meta.dirname, "../../src/client");

/** Bundles and minifies the client, as a module or as a script that defines `mirrorfeed`. */
async function bundleAs(format: "esm" | "iife"): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(source, "index.ts")],
    bundle: true,
    minify: true,
    write: false,
    platform: "neutral",
    format,
    globalName: "mirrorfeed",
  });
  return outputFiles[0]?.text ?? "";
}

describe("the client as a browser or an edge runtime gets it", () => {
  test("is 5 KB compressed, as it is shipped and as others bundle it", async () => {
    const shipped = readFileSync(join(import.meta.dirname, "../../dist/client/index.js"), "utf8");
    for (const text of [shipped, await bundleAs("esm")]) {
      expect(text.length).toBeGreaterThan(1000);
      expect(text.length).toBeLessThan(12_000);
      expect(gzipSync(text).length).toBeLessThan(5120);
    }
  });

  test("loads the check of signatures only with a key, as one small file", () => {
    const shipped = join(import.meta.dirname, "../../dist/client");
    expect(readdirSync(shipped).filter((name) => name.endsWith(".js"))).toEqual(["index.js", "signature.js"]);
    const text = readFileSync(join(shipped, "signature.js"), "utf8");
    expect(text).not.toMatch(/\bimport\b/);
    expect(gzipSync(text).length).toBeLessThan(1100);
  });

  test("imports nothing but its own files", () => {
    const imports = readdirSync(source).flatMap((file) =>
      [...readFileSync(join(source, file), "utf8").matchAll(/\b(?:from |import\()"([^"]+)"|\bimport\(/g)].map(
        ([all, from]) => from ?? all,
      ),
    );
    expect(imports.length).toBeGreaterThan(5);
    for (const one of imports) expect(one).toMatch(/^\.(?:|\.\/core\/(?:contract|verdict))\/[a-z-]+\.ts$/);
  });

  test("needs no more than the standards of the web", async () => {
    const mirrors = [mirror(1, 0), mirror(2, 1, { freshness: "in_sync" })];
    const { url } = await serveRoutes(feedOf(mirrors));
    const web = { fetch, URL, AbortController, AbortSignal, setTimeout, clearTimeout, TextDecoder };
    const context = createContext({ ...web, feed: url, target, at: Date.parse("2026-03-10T12:30:00Z") });
    const asked: unknown = runInContext(
      `${await bundleAs("iife")};Promise.all([
        mirrorfeed.check(feed, target, { fresh: true, now: () => at }),
        mirrorfeed.pick(feed, target, { now: () => at }),
        mirrorfeed.check(feed, target.replace("packages", "other"), { now: () => at }),
      ]).then((results) => JSON.stringify(results))`,
      context,
    );
    const results: unknown = JSON.parse(String(await asked));
    expect(results).toMatchObject([
      { outcome: "reachable", count: 1 },
      { outcome: "reachable", mirror: { id: 2 } },
      { outcome: "unknown", reason: "http_status" },
    ]);
    expect(Object.keys(context)).not.toContain("process");
  });
});
