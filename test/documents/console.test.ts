import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runFeed } from "../../src/app/run.ts";
import { demo } from "../../src/features/demo/demo-command.ts";
import { recorded } from "../support/command-context.ts";
import { runConsole, withoutChance } from "../support/console.ts";
import { blocksOf, documentNames, loadDocument } from "../support/document.ts";
import { withoutPacking } from "../support/init-options.ts";
import { gitEnvironment } from "../support/git.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The demo's address in the documents. Here the demo has another port, because 8080 may be taken. */
const written = "http://127.0.0.1:8080";

/** Samples that need a failing mirror are executed by troubleshooting.test.ts and verify.test.ts. */
const inTrouble = /troubleshooting|status\.example\.org/;

const samples = documentNames.flatMap((name) =>
  blocksOf(loadDocument(name), "console")
    .filter(({ text }) => !inTrouble.test(name + text))
    .map(({ text, line }) => ({ name: `${name}:${line}`, text })),
);

const interruption = new AbortController();
const { context, logged } = recorded({
  interrupt: interruption.signal,
  now: Date.now,
  environment: gitEnvironment,
});
let url = "";
let ended: Promise<unknown>;

beforeAll(async () => {
  ended = demo(runFeed, { port: 0 }, context);
  await vi.waitUntil(() => logged.join("\n").includes("press Ctrl-C to stop"), { timeout: 60_000 });
  url = /http:\/\/127\.0\.0\.1:\d+(?=\/ in a browser)/.exec(logged.join("\n"))?.[0] ?? "";
});

afterAll(async () => {
  interruption.abort();
  await ended;
});

describeWith(
  "curl",
  findProgram("curl") !== undefined,
  "what documents print beside the demo and the README's file",
  () => {
    test.each(samples)("$name", async ({ text }) => {
      const folder = temporaryFolder();
      const [whole] = blocksOf(loadDocument("README.md"), "json");
      writeFileSync(join(folder, "mirrors.json"), whole?.text ?? "");
      const options = { folder, replaced: { [written]: url }, environment: withoutPacking() };
      expect(await runConsole(text, options)).toBe(withoutChance(text));
    });

    test("the README's lines name the best mirror of a feed to git clone", async () => {
      const folder = temporaryFolder();
      const lines = blocksOf(loadDocument("README.md"), "sh").flatMap(({ text }) =>
        text.includes("status.example.org") ? [`$ ${text}`] : [],
      );
      const replaced = {
        "https://status.example.org": url,
        "community/jcb/packages": "demo/joomla/packages",
        "git clone": "echo",
      };
      const printed = await runConsole(lines.join(""), { folder, replaced });
      const [picked, listed] = printed.split("\n").filter((line) => /^http/.test(line));
      expect(picked).toMatch(/^http:.*packages$/);
      expect(listed).toBe(picked);
    });
  },
);
