import { existsSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { describe, expect, test } from "vitest";
import { validate, type ValidateOptions } from "../../../src/features/validate/validate-command.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { listNodes, newNodes } from "../../../src/core/config/nodes.ts";
import { withinLimits } from "../../../src/features/validate/probe-new.ts";
import type { Behaviour, RunningServer } from "../../support/mirror-server.ts";
import { advertisement } from "../../support/advertisement.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";
import { recorded, sentence } from "../../support/command-context.ts";
import { folderWith, put } from "../../support/folder.ts";
import { git } from "../../support/git.ts";
import { runInProcess } from "../../support/in-process.ts";
import { mirrorsJson } from "../../support/mirrors-json.ts";
import { clock } from "../../support/probing.ts";
import { testbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { configChecks } from "../../../src/app/config-checks.ts";

const start = (behaviour: Behaviour = advertisement()): Promise<RunningServer> =>
  testbed.startServer(behaviour);

function at({ url }: RunningServer, id = 2): FeedNode {
  return { id, url: `${url}/a` };
}

interface FeedNode {
  readonly id: number;
  readonly url: string;
  readonly probe?: object;
}

const old = { id: 1, url: "https://old.example.org/a" };

function feed(nodes: readonly FeedNode[], more: object = {}): string {
  return JSON.stringify(mirrorsJson(nodes, more));
}

interface Change {
  readonly before?: string;
  readonly after: string;
  readonly options?: Partial<ValidateOptions>;
}

function run({ before = feed([old]), after, options = {} }: Change) {
  const folder = folderWith({ "mirrors.json": after, "before.json": before });
  return since(join(folder, "before.json"), folder, { allowPrivate: true, ...options });
}

/** Validates a folder's mirrors.json, and probes what is new since `base`. */
async function since(base: string, folder: string, options: Partial<ValidateOptions> = {}) {
  const { context, printed, logged } = recorded({ ...clock, environment: { PATH: env["PATH"] } });
  const given = { config: join(folder, "mirrors.json"), out: "_site", probeNew: base, ...options };
  const code = await validate(given, configChecks, context);
  return { code, printed: printed.join("\n"), logged };
}

describe("validate --probe-new", () => {
  test("probes what is new, and nothing that was there", async () => {
    const [known, added] = [await start(), await start()];
    const before = at(known, 1);
    const { code, printed, logged } = await run({ before: feed([before]), after: feed([before, at(added)]) });
    expect({ code, logged }).toEqual({ code: 0, logged: [] });
    expect(printed).toMatch(
      /is valid: .*\ns\/p\/t\n {2}● online +127\.0\.0\.1:\d+\/a +\d+ ms\n1 mirror probed: 1 online\.$/,
    );
    expect(known.connections).toBe(0);
    expect(added.connections).toBe(1);
  });

  test("exits with 1 if a mirror is not reachable, and says why", async () => {
    const [good, gone] = [await start(), await start(misbehaviours.notFound())];
    const after = feed([old, at(good), at(gone, 3)]);
    const { code, printed } = await run({ after });
    expect(code).toBe(1);
    expect(printed).toMatch(
      /○ offline .*\/a +http_status .*\(HTTP 404\)\.\n2 mirrors probed: 1 online, 1 offline\.$/,
    );
    const json = await run({ after, options: { json: true } });
    expect(json).toMatchObject({ code: 1, logged: [] });
    expect(JSON.parse(json.printed)).toMatchObject({
      valid: true,
      probed: {
        base: expect.stringContaining("before.json"),
        prober: "online",
        nodes: [
          { target: "t", id: 2, url: `${good.url}/a`, code: "ok" },
          { target: "t", id: 3, url: `${gone.url}/a`, code: "http_status", http_status: 404 },
        ],
      },
    });
  });

  test("does not count a rate limit against a mirror", async () => {
    const busy = await start(misbehaviours.tooManyRequests());
    const { code, printed } = await run({ after: feed([at(busy)]) });
    expect(code).toBe(0);
    expect(printed).toContain("rate_limited");
  });
});

describe("a hostile change", () => {
  test("cannot allow private addresses", async () => {
    const mirror = await start();
    const { code, printed, logged } = await run({
      after: feed([at(mirror)], { probe: { allowPrivate: true } }),
      options: { allowPrivate: false },
    });
    expect(code).toBe(1);
    expect(printed).toContain("blocked_address");
    expect(logged.join("\n")).toContain("use --allow-private; the setting in mirrors.json is ignored here");
    expect(mirror.connections).toBe(0);
  });

  test("has no control requested and no file read", async () => {
    const [control, mirror] = [await start(), await start()];
    const probe = { controls: [`${control.url}/`], ca: ["missing.pem"] };
    const { code } = await run({ after: feed([at(mirror)], { probe }) });
    expect(code).toBe(0);
    expect(control.connections).toBe(0);
    const archive = { ...at(mirror), probe: { kind: "apt", apt: { keyring: "missing.gpg" } } };
    const { code: unsigned, printed } = await run({ after: feed([archive]) });
    expect(unsigned).toBe(1);
    expect(printed).toContain("not_apt");
  });
});

describe("what it was before", () => {
  const after = feed([old, { id: 2, url: "https://new.example.org/a" }]);

  async function repository(files: Record<string, string>): Promise<string> {
    const folder = folderWith({ "a.txt": "", ...files });
    const work = (...parameters: string[]): Promise<string> => git(["-C", folder, ...parameters]);
    await git(["init", "--quiet", "--initial-branch=main", folder]);
    await work("add", "--all");
    await work("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=First");
    return folder;
  }

  test("is the file at a revision of Git, in its folder", async () => {
    const folder = await repository({ "feed/mirrors.json": after });
    const below = join(folder, "feed");
    expect((await since("main", below)).printed).toContain("No mirror is new");
    put(below, { "mirrors.json": feed([old, { id: 2, url: "http://127.0.0.1:1/a" }]) });
    const changed = await since("main", below);
    expect(changed.code).toBe(1);
    expect(changed.printed).toContain("1 mirror probed: 1 offline.");
  });

  test("is the revision, even if the change adds a file of that name which calls its mirrors old", async () => {
    const folder = await repository({ "mirrors.json": feed([old]) });
    const proposed = feed([old, { id: 2, url: "http://127.0.0.1:1/a" }]);
    put(folder, { "mirrors.json": proposed, "HEAD^0": proposed });
    const parameters = ["validate", "--probe-new", "HEAD^0"];
    const { code, stdout } = await runInProcess(parameters, { folder });
    expect(code).toBe(1);
    expect(stdout).toContain("1 mirror probed: 1 offline.");
  });

  test("is read without the programs that a partial clone would run to fetch it", async () => {
    const [source, ran] = [await repository({ "mirrors.json": after }), join(temporaryFolder(), "ran")];
    const clone = join(temporaryFolder(), "clone");
    await git(["-C", source, "config", "uploadpack.allowFilter", "true"]);
    await git(["clone", "--quiet", "--no-checkout", "--filter=blob:none", `file://${source}`, clone]);
    await git(["-C", clone, "config", "remote.origin.uploadpack", `touch ${ran}; git-upload-pack`]);
    put(clone, { "mirrors.json": after });
    const refusal = await sentence(since("HEAD", clone));
    expect(refusal).toMatch(/^.*mirrors\.json cannot be read at "HEAD": .*transport 'file' not allowed/);
    expect(existsSync(ran)).toBe(false);
  });

  test("may be nothing or invalid: then every mirror is new", async () => {
    const local = feed([{ id: 1, url: "http://127.0.0.1:1/a" }]);
    const folder = await repository({ "broken.json": "{" });
    put(folder, { "mirrors.json": local, "broken.json": local });
    for (const path of ["mirrors.json", "broken.json"]) {
      const { code, logged } = await since("main", folder, { config: join(folder, path) });
      expect(code).toBe(1);
      const effect = "so every mirror counts as new, and no controls are probed.";
      expect(logged.join("\n")).toContain(`Warning: "main" has no valid ${path}, ${effect}`);
    }
  });

  test.each(["nowhere", "--all", "-h", "", "main:mirrors.json", "HEAD^5"])("%j is refused", async (base) => {
    const folder = await repository({ "mirrors.json": after });
    expect(await sentence(since(base, folder))).toBe(
      `"${base}" is neither a Git revision in this repository nor a .json file; name a revision such as origin/main, and fetch it first.`,
    );
  });

  test.each(["--allow-private", "--dns"])("%s needs --probe-new", async (option) => {
    const options = option === "--dns" ? { dns: ["9.9.9.9"] } : { allowPrivate: true };
    const { context } = recorded();
    expect(
      await sentence(validate({ config: "mirrors.json", out: "_site", ...options }, configChecks, context)),
    ).toBe(`${option} needs --probe-new; add --probe-new or leave out ${option}.`);
  });
});

test("a proposed node is probed with small limits, never as a primary, and without a file of this machine", () => {
  const probe = { timeout: "300s", attempts: 10, kind: "apt", apt: { suite: "sid", keyring: "/etc/shadow" } };
  const [node] = listNodes(validateConfig(feed([{ ...old, probe }]), ""));
  expect(node && withinLimits({ ...node, primary: true })).toMatchObject({
    url: old.url,
    primary: false,
    settings: { kind: "apt", timeoutMs: 30_000, attempts: 3, options: { suite: "sid" } },
  });
  expect(node && withinLimits(node).settings.options).toEqual({ suite: "sid" });
});

test.each<[string, string, number[]]>([
  ["a mirror that is removed", feed([{ id: 3, url: "https://third.example.org/a" }]), [3]],
  ["another URL", feed([{ id: 1, url: "https://new.example.org/a" }]), [1]],
  ["another id", feed([{ id: 2, url: old.url }]), [2]],
  ["another kind of all", feed([old], { probe: { kind: "http" } }), [1]],
  ["an option of the kind", feed([{ ...old, probe: { kind: "http", http: { expectStatus: 401 } } }]), [1]],
  ["an attempt more", feed([{ ...old, probe: { attempts: 4 } }]), []],
])("new is what is probed otherwise: %s", (_, after, ids) => {
  const nodes = newNodes(validateConfig(feed([old]), ""), validateConfig(after, ""));
  expect(nodes.map(({ id }) => id)).toEqual(ids);
});
