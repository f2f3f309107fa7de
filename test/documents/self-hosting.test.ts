import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { calledBy } from "../support/declared-commands.ts";
import { loadDocument, textsBelow } from "../support/document.ts";
import { runInProcess } from "../support/in-process.ts";
import { mirrorsJson } from "../support/mirrors-json.ts";
import { startServer } from "../support/mirror-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/self-hosting.md");
const lines = [...guide.text.matchAll(/\/opt\/mirrorfeed\/dist\/cli\.js ([^\n>]+)/g)];
const [watch = [], ...commands] = lines.map(([, line = ""]) => line.trim().split(" "));

test("the program takes the unit's command, and is where the guide says", async () => {
  expect(await calledBy(watch)).toBe("watch");
  const [image = ""] = textsBelow(guide, "With Kubernetes", "dockerfile");
  const { bin } = JSON.parse(readFileSync("package.json", "utf8")) as { bin: { mirrorfeed: string } };
  expect(image).toContain(`ENTRYPOINT ["node", "/app/${bin.mirrorfeed}"]`);
});

test("the guide's commands make a site, configure its server and send nothing", async () => {
  const prefix = temporaryFolder();
  const folder = join(prefix, "etc/mirrorfeed");
  mkdirSync(folder, { recursive: true });
  const mirror = closeAfterTest(await startServer(advertisement()));
  const channels = { ops: { type: "webhook", urlEnv: "OPS_HOOK" } };
  const config = mirrorsJson([{ id: 1, url: `${mirror.url}/s/t` }], {
    probe: { allowPrivate: true },
    channels,
  });
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
  const printed: Record<string, string> = {};
  for (const [command = "", ...options] of commands) {
    const here = options.map((option) => option.replace(/^\/(?=(?:etc|var)\/)/, `${prefix}/`));
    const { code, stdout, stderr } = await runInProcess([command, ...here], { folder });
    expect(code, stderr).toBe(0);
    printed[command] = stdout;
  }
  const site = join(prefix, "var/lib/mirrorfeed/site");
  expect(existsSync(join(site, "v1/network/s/p/t/index.json"))).toBe(true);
  expect(printed).toMatchObject({ host: expect.stringContaining(site), notify: "Nothing to send.\n" });
});
