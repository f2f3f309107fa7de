import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { jsonText } from "../../../src/core/contract/contract.ts";
import { describeConfig } from "../../support/feed-with.ts";
import { renderDocs } from "../../../src/features/openapi/docs/docs-page.tsx";
import { overlay } from "../../../src/core/site/public.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { feedConfig } from "../../support/contract/feed.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { publishedFiles, writePublished } from "../../support/published.ts";
import { everyView, examine } from "../pages/axe.ts";
import { describeInBrowser } from "../pages/browser.ts";
import { assets } from "../../support/pages-site.ts";

/** Serves a site until the test ends. Returns the URL of its API reference. */
async function serveDocs(config: Config): Promise<string> {
  const description = describeConfig(config);
  const openapi = { path: "openapi.json", content: jsonText(description) };
  const files = [...renderDocs(config.site, description), openapi, ...assets];
  const { url, close } = await serveSite(writePublished(overlay(publishedFiles(config), files)), { port: 0 });
  onTestFinished(close);
  return `${url}/docs/`;
}

function onHost(host: Config["site"]["host"]): Config {
  return { ...feedConfig, site: { ...feedConfig.site, host } };
}

/** Returns a configuration whose names and labels have the maximum length. */
function longConfig(): Config {
  const network = [0, 1].map((copy) => ({
    id: copy + 1,
    name: `${copy}`.repeat(200),
    url: `https://${"m".repeat(60)}${copy}.example.org/${"x".repeat(300)}`,
  }));
  const targets = [{ target: "t".repeat(100), network }];
  const systems = [{ system: "s".repeat(100), projects: [{ project: "p".repeat(100), targets }] }];
  return validateConfig(JSON.stringify({ systems, site: { host: "nginx" } }), "long.json");
}

describeInBrowser("the reference in a browser", (tabs) => {
  test("axe finds nothing with long names, at any size, light, dark or in forced colors", async () => {
    const tab = await tabs.open();
    await tab.goto(await serveDocs(longConfig()));
    await tab.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await examine(tab, everyView);
  });

  test("is short, and a link opens what is folded", async () => {
    const tab = await tabs.open({ reducedMotion: "reduce" });
    const url = await serveDocs(onHost("nginx"));
    await tab.goto(url);
    expect(await tab.title()).toBe(`API · ${feedConfig.site.title}`);
    expect(await tab.locator(".docs").evaluate((docs) => getComputedStyle(docs).display)).toBe("grid");
    expect(await tab.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(13_700);
    expect(await tab.locator("table").count()).toBeGreaterThan(10);
    expect(await tab.locator("table:visible").count()).toBe(0);
    await tab.locator("dd a", { hasText: "Heartbeat" }).first().click();
    await expect.poll(() => tab.locator("table:visible").count()).toBe(1);
    const top = await tab.locator("#Heartbeat").evaluate((table) => table.getBoundingClientRect().top);
    expect(Math.abs(top)).toBeLessThan(100);
    const other = await tabs.open();
    await other.goto(`${url}#Heartbeat`);
    expect(await other.locator("table:visible").count()).toBe(1);
  });
});

const programs = ["curl", "jq"];
const areThere = programs.every((name) => findProgram(name) !== undefined);

describeWith(programs.join(" and "), areThere, "the commands of the reference", () => {
  test("do what they say", async () => {
    const config = onHost("nginx");
    const url = await serveDocs(config);
    const html = await (await fetch(url)).text();
    const lines = [
      ...html.replaceAll("<wbr/>", "").matchAll(/<code data-copy(?:="true")?>([^<]*)<\/code>/g),
    ].map(([, line = ""]) =>
      line
        .replaceAll("https://feed.example.org", new URL(url).origin)
        .replaceAll("&gt;", ">")
        .replaceAll("&#39;", "'")
        .replaceAll("&quot;", '"'),
    );
    const asked = lines.filter((line) => line.startsWith("curl "));
    const others = lines.filter((line) => !line.startsWith("curl "));
    // Only curl commands are run here. Other tests run `mirrorfeed` and the client.
    expect(others).toEqual([
      expect.stringMatching(/^mirrorfeed check http:\S+ alpha\/main-tools\/t-two$/),
      expect.stringMatching(/^mirrorfeed pick http:\S+ alpha\/main-tools\/t-two --probe$/),
      expect.stringMatching(/^import \{ check, pick \} from "http:\S+\/client\.js";$/),
    ]);
    const paths = [...html.matchAll(/<a href="([^"]*)" aria-label="Open /g)].map(([, path = ""]) => path);
    const documented = Object.keys(describeConfig(config).paths);
    const unsigned = documented.filter((path) => !path.startsWith("/SHA256SUMS"));
    expect(paths).toHaveLength(unsigned.length);
    for (const path of paths) expect((await fetch(new URL(path, url))).status).toBe(200);
    const outputs = new Map<string, string>();
    for (const line of asked) {
      const { stdout } = await promisify(execFile)("sh", ["-ec", line]);
      outputs.set(line.replace(/https?:\/\/[^/]*/, ""), stdout);
    }
    const mirror = "https://mirror-0.example.org/alpha/main-tools/t-two/1";
    const target = "/v1/network/alpha/main-tools/t-two";
    expect(outputs.get(`curl -fsSL ${target}/1/ | jq -r '.network[].url'`)).toBe(`${mirror}\n`);
    expect(outputs.get("curl -fsSL /mirrorlist/alpha/main-tools/t-two.txt | head -n 1")).toBe(`${mirror}\n`);
    expect(outputs.get("curl -fsSL /v1/report/ | jq -e '.expires_at > (now | todate)'")).toBe("true\n");
    expect([...outputs.values()].filter((output) => output === "")).toEqual([]);
    expect(outputs.size).toBe(4);
  });
});
