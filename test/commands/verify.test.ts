import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandContext } from "../../src/terminal/context.ts";
import { verify, type VerifyOptions } from "../../src/commands/verify.ts";
import { recorded } from "../support/command-context.ts";
import { feedConfig, feedDocuments } from "../support/contract/feed.ts";
import { deploy } from "../support/deployment.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function run(
  options: Partial<VerifyOptions> & { url: string },
  environment: CommandContext["environment"] = {},
) {
  const now = () => performance.now();
  const { context, printed, logged, progressed } = recorded({ now, environment });
  const code = await verify({ profile: "full", ...options }, context);
  return { code, printed: printed.join("\n"), logged: logged.join("\n"), progressed };
}

function configFile(): string {
  const folder = temporaryFolder("mirrorfeed-verify-");
  const file = join(folder, "mirrors.json");
  writeFileSync(file, JSON.stringify({ systems: feedConfig.systems }));
  return file;
}

test("0 where all held, with what was looked at and what held", async () => {
  const { url } = await deploy(feedDocuments);
  for (const options of [{}, { config: configFile() }, { system: ["alpha", "beta-2", "alpha"] }]) {
    const { code, printed, logged } = await run({ url, ...options });
    expect([code, logged]).toEqual([0, ""]);
    expect(printed).toMatch(
      /^There is no status page, so no page was checked\.\nHeld: documents \d+, errors \d+, other methods 11, left open 29, consistency \d+, caching 1\.\n\d+ cases: \d+ passed, 0 failed, 0 warned\.$/,
    );
  }
});

test("shows its requests on a terminal", async () => {
  const { url, asked } = await deploy(feedDocuments);
  const { progressed } = await run({ url });
  expect(progressed).toEqual(["Verifying, request", ...asked.map((_, index) => index + 1), "stop"]);
});

test("1 if a case fails, with the expected and the actual answer, the same failure only once", async () => {
  const { url } = await deploy(feedDocuments, (draft) => ({
    ...draft,
    ...(draft.status === 400 ? { status: 404 } : {}),
  }));
  const { code, printed } = await run({ url });
  expect(code).toBe(1);
  expect(printed.match(/^FAILED/gm)).toHaveLength(5);
  expect(printed).toContain(`        and 42 more; --json lists all
        expected  400 Invalid status provided
        actual    404, "application/json", "{\\"error\\":\\"Invalid status provided\\",\\"code\\":400}\\u000a"
`);
});

test("a warning is not a failure", async () => {
  const { url } = await deploy(feedDocuments, (draft, { method }) =>
    method === "POST" ? { ...draft, status: 501 } : draft,
  );
  const { code, printed } = await run({ url });
  expect([code, printed]).toEqual([
    0,
    expect.stringMatching(/^WARNED {2}POST \/v1\/network: 405 [^]*, 5 warned\.$/),
  ]);
});

test("4 where it is not known, with the reason on stderr", async () => {
  const { code, printed, logged } = await run(
    { url: "http://127.0.0.1:1" },
    { https_proxy: "http://proxy:1" },
  );
  expect([code, printed]).toEqual([4, ""]);
  expect(logged).toMatch(
    /^Not verified: http:\/\/127\.0\.0\.1:1\/ gave no answer\. It refused .*\nA proxy is named/,
  );
});

test("JSON is all there is on stdout", async () => {
  const { url } = await deploy(feedDocuments);
  const document: unknown = JSON.parse((await run({ url, json: true })).printed);
  expect(document).toEqual({
    url: `${url}/`,
    profile: "full",
    crawl: { pages: { checked: 0, of: 0 }, files: { checked: 0, of: 0 } },
    totals: { passed: expect.any(Number), failed: 0, warned: 0 },
    sampled: { systems: { checked: 2, of: 2 }, targets: { checked: 13, of: 13 } },
    cases: expect.arrayContaining([
      {
        id: "GET /v1/network/alpha/",
        title: "GET /v1/network/alpha/: the document v1/network/alpha/index.json",
        method: "GET",
        path: "/v1/network/alpha/",
        outcome: "passed",
        expected: "the document v1/network/alpha/index.json",
        actual: expect.stringMatching(/^200, "application\/json", "\{/),
      },
    ]),
  });
  const stopped: unknown = JSON.parse((await run({ url: "http://127.0.0.1:1", json: true })).printed);
  expect(stopped).toMatchObject({ sampled: null, cases: [] });
});

describe("what a hostile server says", () => {
  const hostile = "\u001b[2J\u009b31m\n::error::x\r\n::add-mask::a\n##[error]y\u202e\u0007";

  test.each(["in bodies", "in headers", "in names"])("%s is never obeyed", async (where) => {
    const { url } = await deploy(feedDocuments, (draft) => {
      if (where === "in bodies") return { ...draft, body: hostile };
      if (where === "in names")
        return { ...draft, body: JSON.stringify({ [hostile]: [hostile], target: hostile }) };
      return {
        ...draft,
        status: 302,
        headers: { Location: "\u009b31m::error::##[error]", "Content-Type": "\u0090x" },
      };
    });
    for (const json of [false, true]) {
      const { code, printed, logged } = await run({ url, json, config: configFile() });
      expect([code, logged]).toEqual([1, expect.stringMatching(/^It has none of the documents/)]);
      expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(printed).not.toMatch(/^\s*::|##\[/m);
      expect(() => {
        if (json) JSON.parse(printed);
      }).not.toThrow();
    }
    await expect(run({ url })).rejects.toThrow(/^[^\p{Cc}\p{Cf}]*$/u);
  });
});

test("names from nowhere, from two places, and such as cannot be asked for, are refused", async () => {
  const { url } = await deploy(feedDocuments);
  await expect(run({ url, config: configFile(), system: ["alpha"] })).rejects.toThrow(/leave one out/);
  await expect(run({ url, system: ["../x"] })).rejects.toThrow(/"\.\.\/x" is not a name of a system/);
  await expect(run({ url, system: ["gamma"] })).rejects.toThrow(/gamma\/ shows no projects .*403/);
  await expect(run({ url, config: "/no/such/file.json" })).rejects.toThrow(/does not exist/);
});
