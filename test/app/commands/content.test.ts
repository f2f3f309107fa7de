import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { expect, test } from "vitest";
import { probe } from "../../../src/app/commands/probe-command.ts";
import { run } from "../../../src/app/commands/run-command.ts";
import { recorded } from "../../support/command-context.ts";
import { writeFeed } from "../../support/mirror-feed.ts";
import { testbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("a probe for a later build uses what the state knows of the reference, and leaves the state as it is", async () => {
  const folder = temporaryFolder();
  const asked: string[] = [];
  const server = await testbed.startServer(({ request, response, path }) => {
    asked.push(`${request.method} ${path}`);
    response.end(path === "/a/" ? "new content" : "old content");
  });
  const content = { sha256: "reference", files: ["file"] };
  writeFeed(folder, [`${server.url}/a/`, `${server.url}/b/`], { kind: "http", http: { content } });
  const [config, out, state] = [
    join(folder, "mirrors.json"),
    join(folder, "_site"),
    join(folder, "state.json"),
  ];
  const { context } = recorded({ now: () => Date.parse("2026-03-01T00:00:00Z"), environment: env });
  await run({ config, out, state }, context);
  const before = readFileSync(state, "utf8");
  asked.length = 0;
  await probe({ config }, context);
  expect(asked.splice(0)).toContain("HEAD /b/file");
  // The state says that this mirror's content differs from the reference, so the mirror is not asked for the file.
  await probe({ config, state }, context);
  expect(asked).not.toContain("HEAD /b/file");
  expect(readFileSync(state, "utf8")).toBe(before);
});
