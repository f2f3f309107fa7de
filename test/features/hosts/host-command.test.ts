import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { ProcessExit } from "../../support/child.ts";
import { runInProcess } from "../../support/in-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { writeOneTarget } from "../../support/one-target.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-host-");
  writeOneTarget(folder, ["https://git.example.org/a/b"], { site: { url: "https://example.org/status/" } });
});

function host(...parameters: readonly string[]): Promise<ProcessExit> {
  return runInProcess(["host", ...parameters], { folder });
}

describe("mirrorfeed host", () => {
  test("lists the hosts with what each can do", async () => {
    const { code, stdout } = await host();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^host +403 +400 /);
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
    expect((await host("cloudflare")).stderr).toContain("more files; write all of them with --out FOLDER");
    const { code } = await host("cloudflare", "--out", "configuration");
    expect(code).toBe(0);
    expect(readdirSync(join(folder, "configuration")).length).toBeGreaterThan(1);
  });

  test.each<[string[], string]>([
    [["geocities"], '"geocities" is not a host; choose one of github-pages, nginx,'],
    [["github-pages"], "github-pages needs no files outside the site"],
    [["nginx", "--config", "none.json"], "none.json does not exist"],
    [["nginx", "--root", 'a"; evil'], "cannot be used in a configuration for nginx"],
    [["nginx", "--listen", "here"], "is not an address with a port"],
    [
      ["nginx", "--out", "mirrors.json"],
      "mirrors.json cannot be written: there is a file where its folder should be; name another folder with --out.",
    ],
  ])("%j exits 2 and says why", async (parameters, message) => {
    const { code, stdout, stderr } = await host(...parameters);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});
