import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { ProcessExit } from "../support/child.ts";
import { runInProcess } from "../support/in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writeOneTarget } from "../support/one-target.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-host-");
  writeOneTarget(folder, ["https://git.example.org/a/b"], { site: { url: "https://example.org/status/" } });
});

function mirrorfeed(...parameters: readonly string[]): Promise<ProcessExit> {
  return runInProcess(parameters, { folder });
}

function host(...parameters: readonly string[]): Promise<ProcessExit> {
  return mirrorfeed("host", ...parameters);
}

describe("mirrorfeed host", () => {
  test("lists the hosts with what each can do", async () => {
    const { code, stdout } = await host();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^host +200 +403 /);
    expect(stdout).toMatch(/^nginx +yes +yes +yes +yes .* tested$/m);
  });

  test("prints a server's configuration, with its address, its folder and the site's path", async () => {
    const { code, stdout } = await host("nginx", "--listen", "127.0.0.1:8081", "--root", "/srv/my site");
    expect(code).toBe(0);
    expect(stdout).toContain('listen "127.0.0.1:8081";');
    expect(stdout).toContain('root "/srv/my site";');
    expect(stdout).toContain("/status/v1/network");
  });

  test("says that there is more than one file, and writes all of them", async () => {
    expect((await host("netlify")).stderr).toContain("more file beside it; write all with --out FOLDER");
    const { code } = await host("netlify", "--out", "configuration");
    expect(code).toBe(0);
    expect(readdirSync(join(folder, "configuration")).length).toBeGreaterThan(1);
  });

  test.each<[string[], string]>([
    [["geocities"], '"geocities" is not a host; choose one of github-pages, nginx,'],
    [["github-pages"], "github-pages needs nothing outside of the site"],
    [["nginx", "--config", "none.json"], "none.json does not exist"],
    [["nginx", "--root", 'a"; evil'], "cannot be written for nginx"],
    [["nginx", "--listen", "here"], "is not an address with a port"],
    [["netlify", "--out", "mirrors.json/x"], "mirrors.json/x cannot be written"],
  ])("%j exits 2 and says why", async (parameters, message) => {
    const { code, stdout, stderr } = await host(...parameters);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
  });

  test("what a host needs in the site is written by every build, and gone with another host", async () => {
    const results = {
      schema: 1,
      run: "r",
      vantage: "default",
      shard: { index: 1, count: 1 },
      prober: "test",
      controls: [],
    };
    const at = "2026-01-01T00:00:00.000Z";
    const config = (name: string): void => {
      const text = readFileSync(join(folder, "mirrors.json"), "utf8");
      writeFileSync(
        join(folder, "mirrors.json"),
        JSON.stringify({ ...JSON.parse(text), site: { host: name } }),
      );
    };
    expect((await mirrorfeed("probe", "--results", "probed.json")).code).toBe(0);
    const { config: fingerprint } = JSON.parse(readFileSync(join(folder, "probed.json"), "utf8")) as {
      config: string;
    };
    const observations = [{ id: 1, code: "ok", attempts: 1, checked_at: at }];
    writeFileSync(
      join(folder, "results.json"),
      JSON.stringify({ ...results, config: fingerprint, started_at: at, finished_at: at, observations }),
    );
    const build = async () => {
      expect((await mirrorfeed("build", "--results", "results.json")).code).toBe(0);
      return readdirSync(join(folder, "_site"));
    };
    config("apache");
    expect(await build()).toContain(".htaccess");
    config("netlify");
    expect(await build()).toEqual(expect.arrayContaining(["_headers", "_redirects"]));
    expect(await build()).not.toContain(".htaccess");
  });
});
