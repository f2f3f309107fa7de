import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { githubPages } from "../../../src/features/hosts/github-pages.ts";
import { validate, type ValidateOptions } from "../../../src/features/validate/validate-command.ts";
import { isPrivateUrl } from "../../../src/core/config/warnings.ts";
import { folderWith } from "../../support/folder.ts";
import { mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { recorded, sentence } from "../../support/command-context.ts";
import { configChecks } from "../../../src/app/config-checks.ts";

const environment = { PATH: process.env["PATH"] };

function feed(urls: readonly string[], more: object = {}): string {
  return JSON.stringify(mirrorsJson(networkAt(urls), more));
}

async function run(text: string, options: Partial<ValidateOptions> = {}, files = {}, variables = {}) {
  const folder = folderWith({ ...files, "mirrors.json": text });
  const { context, printed, logged } = recorded({ environment: { ...environment, ...variables } });
  const config = join(folder, "mirrors.json");
  const code = await validate({ config, out: join(folder, "_site"), ...options }, configChecks, context);
  return { code, printed: printed.join("\n"), logged };
}

const isPublic = "https://git.example.org/a/b";

describe("validate", () => {
  test("names what is wrong with mirrors.json before a workflow that cannot be read", async () => {
    const unreadable = { ".github/workflows/a.yml/b": "" };
    expect(await sentence(run(feed([isPublic]), {}, unreadable))).toMatch(/a\.yml is a folder/);
    expect(await sentence(run("{", {}, unreadable))).toMatch(/mirrors\.json has 1 problem/);
    expect((await run("{", { json: true }, unreadable)).code).toBe(2);
  });

  test("refuses a receiver that the variables of this machine make unusable", async () => {
    const ops = { type: "webhook", urlEnv: "HOOK_URL" };
    const text = feed([isPublic], { notify: { to: ["ops"] }, channels: { ops } });
    const set = { HOOK_URL: "http://hooks.example.org/geheim" };
    const problem =
      'channels.ops: HOOK_URL holds a URL without TLS; use https://, or add "allowPrivate": true to the channel';
    expect(await sentence(run(text, {}, {}, set))).toContain(`${problem} (line 1)`);
    const { code, printed } = await run(text, { json: true }, {}, set);
    expect(code).toBe(2);
    expect(JSON.parse(printed)).toMatchObject({ valid: false, errors: [{ path: "channels.ops" }] });
    expect((await run(text)).code).toBe(0);
  });

  describe("finds what is wrong with the files that mirrors.json names, as a run would", () => {
    const apt = (keyring: string) => ({ kind: "apt", apt: { suite: "sid", keyring } });
    test.each<[object, string]>([
      [{ ca: ["a.pem"] }, "probe.ca[0]"],
      [apt("k/a.gpg"), "probe.apt.keyring"],
    ])("%j", async (probe, path) => {
      const text = feed([isPublic], { probe });
      expect(await sentence(run(text))).toContain("does not exist; put the file there, or correct the path");
      const { code, printed } = await run(text, { json: true });
      expect(code).toBe(2);
      expect(JSON.parse(printed)).toMatchObject({ valid: false, errors: [{ path, line: 1 }] });
    });

    test("of each level, and none of those that are right", async () => {
      const network = [{ id: 1, url: isPublic, probe: apt("b.gpg") }];
      const text = JSON.stringify(mirrorsJson(network, {}, { probe: apt("a.gpg") }));
      const files = { "a.gpg": "\x99\x01" };
      expect(await sentence(run(text, {}, files))).toMatch(
        /has 1 problem:\n {2}systems\[0\].*network\[0\]\.probe\.apt\.keyring: .*b\.gpg does not exist/,
      );
      expect((await run(text, {}, { ...files, "b.gpg": "\x99\x01" })).code).toBe(0);
    });

    test("but does not read them if somebody else may have proposed them", async () => {
      const text = feed([isPublic], { probe: { ca: ["a.pem"] } });
      const before = join(temporaryFolder(), "before.json");
      writeFileSync(before, text);
      const { code, printed } = await run(text, { probeNew: before });
      expect([code, printed]).toEqual([0, expect.stringContaining("No mirror is new")]);
    });
  });

  test("warns of a schedule that does not keep site.interval", async () => {
    const workflow = { ".github/workflows/refresh.yml": 'on:\n  schedule:\n    - cron: "7 * * * *"\n' };
    const nginx = { site: { host: "nginx", interval: "1h" } };
    expect((await run(feed([isPublic], nginx), {}, workflow)).logged).toEqual([]);
    expect((await run(feed([isPublic]), {}, workflow)).logged).toEqual([
      'Warning: site.interval: is 30m, but .github/workflows/refresh.yml starts a run every 1h; write 1h here, or write "7,37 * * * *" there (line 1).',
    ]);
  });

  test("shows twenty warnings of many, and all as JSON", async () => {
    const hook = { type: "webhook", urlEnv: "HOOK_URL" };
    const channels = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`c${index}`, hook]));
    const text = feed([isPublic], { channels, notify: { to: ["c0"] } });
    expect((await run(text)).logged.slice(19)).toEqual([
      expect.stringContaining("channels.c20: has no effect"),
      "Warnings not shown: 10; --json lists all of them.",
    ]);
    const { printed, logged } = await run(text, { json: true });
    expect(logged).toEqual([]);
    expect(JSON.parse(printed)).toMatchObject({ valid: true, warnings: { length: 30 } });
  });

  test("as JSON tells what is valid and what is not, each with its place", async () => {
    const valid = await run(feed(["http://localhost/a"]), { json: true });
    expect(valid).toMatchObject({ code: 0, logged: [] });
    expect(JSON.parse(valid.printed)).toEqual({
      config: expect.stringContaining("mirrors.json"),
      valid: true,
      counts: { systems: 1, projects: 1, targets: 1, nodes: 1 },
      errors: [],
      warnings: [
        {
          code: "private_address",
          path: "systems[0].projects[0].targets[0].network[0].url",
          line: 1,
          message: expect.stringContaining("allowPrivate"),
        },
      ],
    });
    const broken = await run('{\n"systems": [], "x": 1}', { json: true });
    expect(broken.code).toBe(2);
    const errors = ["systems", "x"].map((path) => ({ path, line: 2 }));
    expect(JSON.parse(broken.printed)).toMatchObject({ valid: false, errors });
    const syntax = await run("{\n", { json: true });
    expect(JSON.parse(syntax.printed)).toMatchObject({ errors: [{ path: "", line: 2, column: 1 }] });
  });

  test("warns if the runs of the site are much rarer than site.interval", async () => {
    const site = (median_seconds?: number) => ({
      "_site/v1/report/index.json": JSON.stringify({
        generated_at: "2026-11-22T12:00:00Z",
        prober: { state: "online" },
        interval: { scheduled_minutes: 15, median_seconds },
      }),
    });
    const text = feed([isPublic], { site: { interval: "1h" } });
    expect((await run(text, {}, site(6 * 3600))).logged).toEqual([
      "Warning: site.interval: is 60 minutes, but runs are 6 hours apart; set it to 6h, or run more often (line 1).",
    ]);
    expect((await run(text, {}, site())).logged).toEqual([]);
  });

  test("--client jcb warns of what it cannot read", async () => {
    const text = feed([isPublic, "https://git.example.net/c/b"])
      .replace('"s"', '"community"')
      .replace('"p"', '"jcb"');
    const { code, logged } = await run(text, { client: "jcb" });
    expect(code).toBe(0);
    expect(logged).toHaveLength(2);
    expect((await run(text)).logged).toEqual([]);
  });
});

test("private are addresses and names that no other network knows", () => {
  const urls = `http://127.0.0.1/ http://[::1]:8080/a http://[fd00::1]/a http://169.254.169.254/ https://localhost/a
    https://git.localhost/a https://nas.local/a https://git.internal./a https://local/a`;
  for (const url of urls.split(/\s+/)) expect(isPrivateUrl(url), url).toBe(true);
  for (const url of ["https://internal.example.org/a", "https://mylocal/a", "https://9.9.9.9/a", isPublic])
    expect(isPrivateUrl(url), url).toBe(false);
});

test.each([
  ["https://github.com/Owner/Name.git", "https://owner.github.io/Name/"],
  ["https://x-access-token:secret@github.com/owner/name", "https://owner.github.io/name/"],
  ["git@github.com:owner/name.git", "https://owner.github.io/name/"],
  ["ssh://git@github.com/owner/name.git", "https://owner.github.io/name/"],
  ["https://github.com.example.org/owner/name", undefined],
  ["https://github.com/owner", undefined],
  ["", undefined],
])("the remote %j is published at %s", (remote, url) => {
  expect(githubPages.urlOfRemote?.(remote)).toBe(url);
});

test("what only a run may write is refused in public/, as the run would", async () => {
  const files = { "public/v1/network/index.json": "{}" };
  expect(await sentence(run(feed(["https://git.example.org/a"]), {}, files))).toMatch(
    /public contains files that only a run may write: .*; remove or rename them\.$/,
  );
});
