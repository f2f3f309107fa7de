import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

import { program } from "../support/child.ts";
import { writeOneTarget } from "./one-target.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-host-");
  writeOneTarget(folder, ["https://git.example.org/a/b"], { site: { url: "https://example.org/status/" } });
});

function host(...parameters: readonly string[]) {
  return spawnSync(process.execPath, [program, "host", ...parameters], { cwd: folder, encoding: "utf8" });
}

describe("mirrorfeed host", () => {
  test("lists the hosts with what each can do", () => {
    const { status, stdout } = host();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^host +200 +403 /);
    expect(stdout).toMatch(/^nginx +yes +yes +yes +yes .* tested$/m);
  });

  test("prints a server's configuration, with its address, its folder and the site's path", () => {
    const { status, stdout } = host("nginx", "--listen", "127.0.0.1:8081", "--root", "/srv/my site");
    expect(status).toBe(0);
    expect(stdout).toContain('listen "127.0.0.1:8081";');
    expect(stdout).toContain('root "/srv/my site";');
    expect(stdout).toContain("/status/v1/network");
  });

  test("says that there is more than one file, and writes all of them", () => {
    expect(host("lighttpd").stderr).toContain("more file beside it; write all with --out FOLDER");
    const { status } = host("lighttpd", "--out", "configuration");
    expect(status).toBe(0);
    expect(readdirSync(join(folder, "configuration")).length).toBeGreaterThan(1);
  });

  test.each<[string[], string]>([
    [["geocities"], '"geocities" is not a host; choose one of github-pages, nginx,'],
    [["github-pages"], "github-pages needs nothing outside of the site"],
    [["nginx", "--config", "none.json"], "none.json does not exist"],
    [["nginx", "--root", 'a"; evil'], "cannot be written for nginx"],
    [["nginx", "--listen", "here"], "is not an address with a port"],
    [["lighttpd", "--out", "mirrors.json/x"], "mirrors.json/x cannot be written"],
  ])("%j exits 2 and says why", (parameters, message) => {
    const { status, stdout, stderr } = host(...parameters);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
  });

  test("what a host needs in the site is written by every build, and gone with another host", () => {
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
    execFileSync(process.execPath, [program, "probe", "--results", "probed.json"], {
      cwd: folder,
      stdio: "ignore",
    });
    const { config: fingerprint } = JSON.parse(readFileSync(join(folder, "probed.json"), "utf8")) as {
      config: string;
    };
    const observations = [{ id: 1, code: "ok", attempts: 1, checked_at: at }];
    writeFileSync(
      join(folder, "results.json"),
      JSON.stringify({ ...results, config: fingerprint, started_at: at, finished_at: at, observations }),
    );
    const build = () => {
      execFileSync(process.execPath, [program, "build", "--from", "results.json"], {
        cwd: folder,
        stdio: "ignore",
      });
      return readdirSync(join(folder, "_site"));
    };
    config("apache");
    expect(build()).toContain(".htaccess");
    config("netlify");
    expect(build()).toEqual(expect.arrayContaining(["_headers", "_redirects"]));
    expect(build()).not.toContain(".htaccess");
  });
});
