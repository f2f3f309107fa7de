import { expect, test } from "vitest";
import { startServer } from "../../src/testbed/server.ts";
import { hasMirmon, mirmonTimes } from "../support/mirmon.ts";
import { probeUrl } from "../support/probing.ts";
import { describeWith } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hourS = 3600;

describeWith("mirmon and curl", hasMirmon, "mirmon", () => {
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
      const urls = names.map((name) => `${server.url}/${name}/`);
      const seen = await mirmonTimes(temporaryFolder(), urls, "TIME.txt");
      const content = { timestamp: { path: "TIME.txt", format: "epoch" } };
      for (const [index, url] of urls.entries()) {
        const { code, content_at } = await probeUrl(url, { kind: "http", options: { content } });
        expect(code).toBe("ok");
        const at = content_at === undefined ? undefined : Date.parse(content_at) / 1000;
        expect([url, at]).toEqual([url, seen[index]]);
      }
      expect(seen.filter((at) => at !== undefined)).toHaveLength(3);
    } finally {
      await server.close();
    }
  });
});
