import { expect, test } from "vitest";
import * as channels from "../../src/channels/registry.ts";
import { formatNames } from "../../src/import/format-names.ts";
import * as kinds from "../../src/kinds/registry.ts";
import { startServer } from "../../src/testbed/server.ts";
import { startChild } from "../support/child.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { probeUrl } from "../support/probing.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/comparison.md");
const [row = ""] = guide.text.match(/^\| mirrorfeed .*$/m) ?? [];

test("the table has each channel, each kind and each program that import reads", () => {
  const cells = row.split("|").map((cell) => cell.trim());
  expect(Object.keys(channels).sort()).toEqual(["alertmanager", "email", "github", "webhook"]);
  expect(cells).toContain("mail, webhook, Alertmanager, GitHub issues");
  expect(Object.keys(kinds).sort()).toEqual(["apt", "git", "http", "pacman", "rpm"]);
  expect(cells).toContain("refs of Git; apt, pacman, rpm; files");
  expect(formatNames).toEqual(expect.arrayContaining(["gatus", "upptime"]));
});

test("each program of the table has a section, and each of those a source", () => {
  const linked = [...guide.text.matchAll(/^\| \[[^\]]+\]\(#([a-z-]+)\)/gm)].map(([, anchor]) => anchor);
  const others = guide.sections.filter(({ anchor }) => linked.includes(anchor));
  expect(others).toHaveLength(8);
  for (const { heading, read, blocks } of others)
    expect(read.length + blocks.length, heading).toBeGreaterThan(0);
});

describeWith("curl", findProgram("curl") !== undefined, "the line with curl", () => {
  test("takes a login page for a repository, and calls mirrors offline if nothing can be reached", async () => {
    const server = await startServer(({ response, path }) => {
      if (path.startsWith("/gone/")) response.writeHead(404).end();
      else response.end("<title>Log in</title>");
    });
    const [line] = blocksOf(guide, "sh");
    const ask = async (url: string): Promise<string> => {
      const command = line?.text.replace("https://git.example.org/a/b", url) ?? "";
      const { stdout } = await startChild("/bin/sh", ["-c", command], { folder: temporaryFolder() }).ending;
      return stdout;
    };
    try {
      expect(await ask(`${server.url}/login`)).toBe("");
      expect((await probeUrl(`${server.url}/login`)).code).toBe("not_git");
      expect(await ask(`${server.url}/gone`)).toBe("offline\n");
    } finally {
      await server.close();
    }
    expect(await ask(`${server.url}/login`)).toBe("offline\n");
  });
});
