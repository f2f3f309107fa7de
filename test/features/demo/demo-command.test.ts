import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Child, startProgram } from "../../support/child.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("mirrorfeed demo", () => {
  let temporary: string;
  let demo: Child;
  let holder: Server;
  beforeAll(async () => {
    temporary = temporaryFolder("mirrorfeed-demo-test-");
    holder = createServer().listen(8080, "127.0.0.1");
    // It doesn't matter if another program already holds the port.
    await once(holder, "listening").catch(() => undefined);
    demo = startProgram(["demo"], { folder: temporaryFolder(), environment: { TMPDIR: temporary } });
    await vi.waitFor(
      () => {
        expect(demo.stderr()).toContain("press Ctrl-C to stop");
      },
      { timeout: 60_000 },
    );
  });
  afterAll(async () => {
    demo.process.kill("SIGKILL");
    await demo.ending;
    holder.close();
  });

  test("takes another port if its usual one is taken", () => {
    const [, port = ""] = /127\.0\.0\.1:(\d+)\/ /.exec(demo.stderr()) ?? [];
    expect(Number(port)).toBeGreaterThan(8080);
  });

  test("presents requests with their answers, and removes itself", async () => {
    const stdout = demo.stdout();
    expect(stdout).toMatch(
      /curl -i http:\/\/127\.0\.0\.1:\d+\/v1\/network\/nowhere\/\n {2}403 \{"error":"System not found","code":403\}/,
    );
    expect(stdout.match(/curl -i/g)).toHaveLength(3);
    expect(stdout).toContain("their 90-day history is invented:");
    const [, url = ""] = /Open (http:\/\/127\.0\.0\.1:\d+)\/ /.exec(demo.stderr()) ?? [];
    const get = async (path: string): Promise<string> => (await fetch(url + path)).text();
    expect((await fetch(`${url}/v1/network/demo/joomla/super-powers/1`)).status).toBe(200);
    expect(await get("/v1/network/demo/joomla/packages/2")).toBe(
      '{"error":"Invalid status provided","code":400}\n',
    );
    const page = await get("/");
    for (const seen of [
      "The 90 days before this demo are invented",
      "3 mirrors are behind.",
      "1 mirror is in maintenance.",
      "6 of 21 mirrors are offline.",
    ])
      expect(page.replaceAll(/<[^>]+>/g, "")).toContain(seen);
    expect(await get("/incidents/")).toMatch(/lasted 1[58] hours/);
    demo.process.kill("SIGINT");
    expect(await demo.ending).toMatchObject({ code: null, signal: "SIGINT" });
    expect(readdirSync(temporary)).toEqual([]);
  });
});
