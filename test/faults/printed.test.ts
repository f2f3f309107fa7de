import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ProcessExit, runProgram, sentenceOf } from "../support/child.ts";
import { put } from "../support/folder.ts";
import { mirrorsJson } from "../support/mirrors-json.ts";
import { runInProcess } from "../support/in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hostile = "a\nFORGED\n::error::x\u001b]0;x\u0007\u001b[31m";
const network = [{ id: 1, url: "https://a.example.org/x" }];

/** Runs a command in a folder with these files, and with this mirrors.json. */
async function runIn(
  command: string,
  files: Readonly<Record<string, string>>,
  more: object = {},
  folder = temporaryFolder(),
  run: typeof runProgram = runInProcess,
): Promise<ProcessExit> {
  const site = { url: "https://s.example/" };
  put(folder, { "mirrors.json": JSON.stringify(mirrorsJson(network, { site, ...more })), ...files });
  return run(command.split(" "), { folder });
}

/** Runs the built program, since a pipe that is read would stall this process. */
function runAlone(command: string, folder: string, more?: object): Promise<ProcessExit> {
  return runIn(command, {}, more, folder, runProgram);
}

function expectClean({ stdout, stderr }: ProcessExit): void {
  expect(stdout + stderr).not.toMatch(/[^\P{C}\n]/u);
  expect(stdout + stderr).not.toMatch(/^(?:FORGED|::)/m);
}

describe.skipIf(process.platform === "win32")("a hostile name never reaches the terminal", () => {
  test.each(["validate", "run", "probe"])("in a path of mirrors.json, %s", async (command) => {
    for (const probe of [{ ca: [hostile] }, { kind: "apt", apt: { keyring: hostile } }]) {
      const ended = await (command === "validate"
        ? runAlone(command, temporaryFolder(), { probe })
        : runIn(command, {}, { probe }));
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain("has control or invisible characters; rename the file");
      expectClean(ended);
    }
  });

  test.each([`public/incidents/${hostile}.md`, `public/${hostile}/index.html`, `public/${hostile}.mustache`])(
    "in the site, %j",
    async (path) => {
      const ended = await runIn("validate", { [path]: "---\ntitle: x\n---\nx" });
      expect(sentenceOf(ended)).toMatch(/" has a name that a site cannot contain; rename it\.$/);
      expectClean(ended);
    },
  );

  test("in an id of a results file, or an argument", async () => {
    const file = JSON.stringify({ schema: 1, run: hostile });
    const results = await runIn("build --results r.json", { "r.json": file });
    expect(sentenceOf(results)).toContain("is not a valid results file");
    expectClean(results);
    const argument = await runProgram(["run", "--config", hostile], { folder: temporaryFolder() });
    expect(sentenceOf(argument)).toBe(
      "Argument 3 contains a line break or other control character; remove it.",
    );
  });

  test("in a folder above", async () => {
    const folder = join(temporaryFolder(), hostile);
    const ended = await runIn("validate", {}, { probe: { ca: ["none.pem"] } }, folder);
    expect(ended.stderr).toContain("does not exist; put the file there, or correct the path (line 1)");
    expectClean(ended);
  });
});

describe.skipIf(process.platform === "win32")("a pipe or device is refused at once", () => {
  const unread = /is not a regular file; .*/;
  test.each([
    ["validate", { probe: { ca: ["/dev/ptmx"] } }],
    ["validate", { probe: { ca: ["pipe"] } }],
    ["run", { probe: { ca: ["pipe"] } }],
    ["validate", { probe: { kind: "apt", apt: { keyring: "pipe" } } }],
    ["run", { probe: { kind: "apt", apt: { keyring: "pipe" } } }],
    ["run --config pipe", {}],
    ["build --results pipe", {}],
    ["import pipe --to s/p/t", {}],
    ["check https://a.example.org s/p/t --public-key pipe", {}],
  ])("%s, %j", async (command, more) => {
    const folder = temporaryFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const { code, stderr } = await runAlone(command, folder, more);
    expect(stderr).toMatch(unread);
    expect(code).toBe(2);
  });

  test.each([
    ["run --state pipe", "pipe", /plain file/],
    ["validate", "public/pipe", /special file/],
    ["run", "public/incidents/a.md", /special file/],
  ])("%s with %s", async (command, path, message) => {
    const folder = temporaryFolder();
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    execFileSync("mkfifo", [join(folder, path)]);
    expect(sentenceOf(await runAlone(command, folder))).toMatch(message);
  });
});
