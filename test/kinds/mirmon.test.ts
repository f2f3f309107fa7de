import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../../src/testbed/server.ts";
import { startChild } from "../support/child.ts";
import { probeUrl } from "../support/probing.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const mirmon = findProgram("mirmon") ?? "mirmon";
const hourS = 3600;

describeWith(
  "mirmon and curl",
  findProgram("mirmon") !== undefined && findProgram("curl") !== undefined,
  "mirmon",
  () => {
    test("sees the same ages as the timestamp of content", async () => {
      const now = Math.floor(Date.now() / 1000);
      const files: Readonly<Record<string, string>> = {
        "/fresh/TIME.txt": `${now - 60}\n`,
        "/old/TIME.txt": `${now - 30 * hourS} ${new Date((now - 30 * hourS) * 1000).toUTCString()}\n`,
        "/ancient/TIME.txt": String(now - 4000 * 24 * hourS),
        "/parked/TIME.txt": "<title>This domain is for sale</title>",
      };
      const server = await startServer(({ response, path }) => {
        const found = path.endsWith("/") ? "<title>Index</title>" : files[path];
        if (found === undefined) response.writeHead(404).end();
        else response.end(found);
      });
      try {
        const names = ["fresh", "old", "ancient", "parked", "gone"];
        const seen = await runMirmon(names.map((name) => `${server.url}/${name}/`));
        const content = { timestamp: { path: "TIME.txt", format: "epoch" } };
        for (const name of names) {
          const url = `${server.url}/${name}/`;
          const { code, content_at } = await probeUrl(url, { kind: "http", options: { content } });
          expect(code).toBe("ok");
          const at = content_at === undefined ? undefined : Date.parse(content_at) / 1000;
          expect([name, at]).toEqual([name, seen.get(url)]);
        }
        expect([...seen.values()].filter((at) => at !== undefined)).toHaveLength(3);
      } finally {
        await server.close();
      }
    });
  },
);

/** Runs mirmon. Returns the age that it has seen of each mirror, in seconds since 1970. */
async function runMirmon(urls: readonly string[]): Promise<Map<string, number | undefined>> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "icons"));
  const files = {
    countries: "de - Germany\n",
    list: urls.map((url) => `de ${url}\n`).join(""),
    state: "",
    "mirmon.conf": `project_name P
project_url http://example.org/
mirror_list ${folder}/list
web_page ${folder}/page.html
icons icons
state ${folder}/state
countries ${folder}/countries
probe ${findProgram("curl")} -s --fail --max-time %TIMEOUT% %URL%TIME.txt
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // It sleeps for ten seconds after it has looked at its probes.
  const awake = "BEGIN { *CORE::GLOBAL::sleep = sub { select undef, undef, undef, 0.01 } } do shift";
  const parameters = ["-e", awake, mirmon, "-q", "-c", "mirmon.conf", "-get", "all"];
  await startChild("perl", parameters, { folder }).ending;
  const lines = readFileSync(join(folder, "state"), "utf8").trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [url = "", at = ""] = line.split(" ");
      return [url, at === "undef" ? undefined : Number(at)];
    }),
  );
}
