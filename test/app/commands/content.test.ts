import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { beforeEach, describe, expect, test } from "vitest";
import { probe as probeAlone } from "../../../src/app/commands/probe-command.ts";
import { run } from "../../../src/app/commands/run-command.ts";
import { recorded } from "../../support/command-context.ts";
import { testbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const start = Date.parse("2026-03-01T00:00:00Z");
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

describe("a probe for a later build", () => {
  test("uses what the state knows of the reference, and leaves the state as it is", async () => {
    const asked: string[] = [];
    const server = await testbed.startServer(({ request, response, path }) => {
      asked.push(`${request.method} ${path}`);
      response.end(path === "/a/" ? "new content" : "old content");
    });
    const network = ["a", "b"].map((name, index) => ({ id: index + 1, url: `${server.url}/${name}/` }));
    const targets = [{ target: "t", primary: 1, network }];
    const content = { sha256: "reference", files: ["file"] };
    const probe = { kind: "http", http: { content }, attempts: 1, allowPrivate: true };
    const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
    writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ systems, probe }));
    const [config, out, state] = [
      join(folder, "mirrors.json"),
      join(folder, "_site"),
      join(folder, "state.json"),
    ];
    const { context } = recorded({ now: () => start, environment: env });
    await run({ config, out, state }, context);
    const before = readFileSync(state, "utf8");
    asked.length = 0;
    await probeAlone({ config }, context);
    expect(asked).toContain("HEAD /b/file");
    asked.length = 0;
    // The state says that this mirror's content differs from the reference, so the mirror is not asked for the file.
    await probeAlone({ config, state }, context);
    expect(asked).not.toContain("HEAD /b/file");
    expect(readFileSync(state, "utf8")).toBe(before);
  });
});
