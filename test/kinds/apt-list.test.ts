import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AptWorkshop, hasAptTools } from "../support/apt-archive.ts";
import { describeWith } from "../support/requirement.ts";
import { hasFolderServer } from "../support/served-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { listOf, startMirror, textAt } from "../support/tool-feed.ts";

describeWith("reprepro, apt and nginx", hasAptTools && hasFolderServer, "apt with the list of a feed", () => {
  test("downloads with the best mirror dead and another one stale, in the order of the list", async () => {
    const folder = temporaryFolder("mirrorfeed-apt-list-");
    mkdirSync(join(folder, "root"));
    const workshop = new AptWorkshop(join(folder, "root"));
    workshop.add("stale/a&b", "one");
    workshop.add("source/a&b", "one", "two");
    workshop.copy("source", "fresh");
    const roots = ["source", "fresh", "stale"].map((name) => join(workshop.folder, name));
    const mirrors = await Promise.all(roots.map(startMirror));
    const urls = mirrors.map(({ url }) => `${url}/a&b/`);
    const list = await listOf(urls, { kind: "apt", apt: { suite: "example" } }, "list");
    expect(await textAt(list)).toBe(urls.map((url, place) => `${url}\tpriority:${place + 1}\n`).join(""));
    const well = await workshop.apt(`mirror+${list}`, "download", "two");
    // Priorities decide: apt asks the first mirror alone.
    expect([...well.output.matchAll(/^Get:\d+ http:\/\/([\w.:]+)/gm)].map(([, host]) => host)).toContain(
      new URL(urls[0] ?? "").host,
    );
    expect(well.output).not.toContain(new URL(urls[1] ?? "").host);
    expect(well.code).toBe(0);
    rmSync(join(workshop.folder, "source/a&b/pool"), { recursive: true });
    const partial = await workshop.apt(`mirror+${list}`, "download", "two");
    expect(partial.output).toContain(new URL(urls[1] ?? "").host);
    expect(partial.code).toBe(0);
    await mirrors[0]?.close();
    const { code, output } = await workshop.apt(`mirror+${list}`, "download", "two");
    expect(output).toContain(new URL(urls[1] ?? "").host);
    expect(output).not.toContain(new URL(urls[2] ?? "").host);
    expect(code).toBe(0);
    expect(readdirSync(join(workshop.folder, "apt/work"))).toEqual(["two_1.0+b1_amd64.deb"]);
  });
});
