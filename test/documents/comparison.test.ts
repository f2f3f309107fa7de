import { expect, test } from "vitest";
import { startServer } from "../support/mirror-server.ts";
import { startChild } from "../support/child.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { probeUrl } from "../support/probing.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/comparison.md");
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
