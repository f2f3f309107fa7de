import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gitSetting, gitVariables } from "../../src/commands/published/formats.ts";
import { pick, type PickOptions } from "../../src/commands/pick.ts";
import type { CommandContext } from "../../src/base/terminal/context.ts";
import { git as quietGit } from "../support/git.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import { misbehaviours as lab } from "../support/misbehaviours.ts";
import { InputError } from "../../src/base/errors.ts";
import {
  contractOf,
  feedOf,
  mirror,
  page,
  type Routes,
  serve,
  serveRendered,
  serveRoutes,
  target,
} from "../support/serving.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { feedContext } from "../support/feed-context.ts";

const execute = promisify(execFile);
const program = join(import.meta.dirname, "../../dist/cli.js");

const mirrors = [
  mirror(1, 0, { primary: true, freshness: "in_sync" }),
  mirror(2, 1, { freshness: "behind", latency_ms: 5 }),
  mirror(3, 1, { freshness: "in_sync", latency_ms: 50 }),
];
const urls = mirrors.map(({ url }) => url);

async function run(url: string, options: Partial<PickOptions> = {}, more: Partial<CommandContext> = {}) {
  const { context, printed, logged } = feedContext(more);
  const defaults = { format: "url", kind: "git", timeout: 5000 } as const;
  const code = await pick(url, target, { ...defaults, ...options }, context);
  return { code, printed: printed(), logged: logged() };
}

async function runFrom(
  routes: Routes,
  options: Partial<PickOptions> = {},
  more: Partial<CommandContext> = {},
) {
  return run((await serveRoutes(routes)).url, options, more);
}

describe("mirrors that are equally good", () => {
  const equals = [
    mirror(1, 1, { freshness: "in_sync" }),
    mirror(2, 1, { freshness: "in_sync", country: "DE", weight: 3 }),
    mirror(3, 1, { freshness: "behind", weight: 100 }),
  ];

  test("are drawn by weight with --spread", async () => {
    const drawn = async (random: number) =>
      (await runFrom(feedOf(equals), { spread: true }, { random: () => random })).printed;
    expect([await drawn(0.2), await drawn(0.3), await drawn(0.99)]).toEqual(
      [0, 1, 1].map((place) => equals[place]?.url),
    );
  });

  test("of the --country come first", async () => {
    expect((await runFrom(feedOf(equals), { country: "DE" })).printed).toBe(equals[1]?.url);
  });
});

describe("the formats", () => {
  test("url is the best one", async () => {
    expect(await runFrom(feedOf(mirrors))).toEqual({ code: 0, printed: urls[2], logged: "" });
  });

  test("list is all of them, the best first", async () => {
    const { code, printed } = await runFrom(feedOf(mirrors), { format: "list" });
    expect([code, printed]).toEqual([0, [urls[2], urls[1], urls[0]].join("\n")]);
  });

  test("json is all that is known", async () => {
    const { code, printed } = await runFrom(feedOf(mirrors), { format: "json" });
    expect([code, JSON.parse(printed)]).toEqual([
      0,
      {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
        target,
        outcome: "reachable",
        mirror: mirrors[2],
        mirrors: [mirrors[2], mirrors[1], mirrors[0]],
        canonical: urls[0],
        generated_at: "2026-03-10T12:00:00.000Z",
        expires_at: "2026-03-10T14:00:00.000Z",
      },
    ]);
  });

  test("env is a variable a line", async () => {
    const [canonical, best] = ["https://canonical.example.org/a", urls[2] ?? ""];
    const own = ["MIRRORFEED_COUNT=2", `MIRRORFEED_URL=${best}`];
    const { code, printed } = await runFrom(feedOf(mirrors), { format: "env", canonical });
    expect([code, printed.split("\n")]).toEqual([
      0,
      [
        ...own,
        "GIT_CONFIG_COUNT=1",
        `GIT_CONFIG_KEY_0=url.${best}.insteadOf`,
        `GIT_CONFIG_VALUE_0=${canonical}`,
      ],
    ]);
    expect((await runFrom(feedOf(mirrors), { format: "env" })).printed.split("\n")).toEqual(own);
  });

  test("Git replaces no URL that a feed names, since a feed could name any", async () => {
    const wide = mirrors.map((one) => (one.primary === true ? { ...one, url: "https://github.com/" } : one));
    await expect(runFrom(feedOf(wide), { format: "git" })).rejects.toThrow(InputError);
    await expect(runFrom(feedOf(wide), { format: "git" })).rejects.toThrow(/--canonical/);
    expect((await runFrom(feedOf(wide), { format: "env" })).printed).not.toContain("github.com");
    const { code, printed } = await runFrom(feedOf(wide), {
      format: "git",
      canonical: "git@a.example.org:b/c",
    });
    expect(code).toBe(0);
    expect(printed).not.toContain("github.com");
  });

  test("json names the primary, also where it is excluded", async () => {
    const up = feedOf(mirrors.map((one) => ({ ...one, status: 1 })));
    const { printed } = await runFrom(up, { format: "json", exclude: ["mirror-1.example.org"] });
    expect(JSON.parse(printed)).toMatchObject({ canonical: urls[0], mirror: { id: 3 } });
  });
});

describe("no mirror is reachable", () => {
  const offline = feedOf(mirrors.map((one) => ({ ...one, status: 0 })));

  test.each<[PickOptions["format"], string | RegExp]>([
    ["url", ""],
    ["git", ""],
    ["env", "MIRRORFEED_COUNT=0"],
    ["list", [urls[0], urls[2], urls[1]].join("\n")],
    ["json", /"outcome": "unreachable",\n {2}"mirrors": \[\n[^]*mirror-3/],
  ])("%s prints what is left, and it exits with 1", async (format, expected) => {
    const { code, printed, logged } = await runFrom(offline, {
      format,
      canonical: "https://canonical.example.org/a",
    });
    expect([code, logged]).toEqual([1, `No mirror of ${target} is reachable.`]);
    expect(printed).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });

  test.each([[[1, 2, 3]], [[2, 3]]])(
    "nor is any if the hosts %j are excluded, and they are named",
    async (ids) => {
      const exclude = ids.map((id) => `mirror-${id}.example.org`);
      expect(await runFrom(feedOf(mirrors), { exclude })).toEqual({
        code: 1,
        printed: "",
        logged: `--exclude leaves no reachable mirror of ${target}: 2 reachable ones are left out (mirror-2.example.org, mirror-3.example.org).`,
      });
      const { code, printed } = await runFrom(feedOf(mirrors), { exclude, format: "json" });
      expect([code, JSON.parse(printed)]).toEqual([1, expect.objectContaining({ outcome: "unreachable" })]);
    },
  );

  test("an excluded one is not named if it is offline too", async () => {
    expect(await runFrom(offline, { exclude: ["mirror-1.example.org"] })).toMatchObject({
      code: 1,
      logged: `No mirror of ${target} is reachable.`,
    });
  });

  test("one excluded mirror is named alone", async () => {
    const one = feedOf([mirror(1, 0), mirror(2, 1)]);
    expect(await runFrom(one, { exclude: ["mirror-2.example.org"] })).toMatchObject({
      logged: expect.stringContaining(": 1 reachable one is left out (mirror-2.example.org)."),
    });
  });
});

describe("--fallback", () => {
  const fallback = "https://fallback.example.org/a";
  const offline = feedOf(mirrors.map((one) => ({ ...one, status: 0 })));

  test("is not of interest where a mirror is reachable", async () => {
    expect(await runFrom(feedOf(mirrors), { fallback })).toEqual({ code: 0, printed: urls[2], logged: "" });
    const list = await runFrom(feedOf(mirrors), { fallback, format: "list" });
    expect(list.printed).not.toContain(fallback);
    expect(
      JSON.parse((await runFrom(feedOf(mirrors), { fallback, format: "json" })).printed),
    ).not.toHaveProperty("fallback");
  });

  test.each<[string, Routes, string]>([
    ["no mirror is reachable", offline, `No mirror of ${target} is reachable.`],
    ["the feed has no such target", {}, "The feed answered with an HTTP error that is none of the contract."],
    [
      "the feed says that it has no such target",
      { [`/v1/network/${target}/`]: page(403, '{"error":"Target not found"}') },
      `The feed knows no such target: ${target}.`,
    ],
    [
      "a login page answers",
      { [`/v1/network/${target}/`]: page(200) },
      "The answer is not a feed: it does not follow the contract.",
    ],
  ])("is printed with a warning and exit code 0 where %s", async (_, routes, sentence) => {
    const { code, printed, logged } = await runFrom(routes, { fallback });
    expect({ code, printed, logged }).toEqual({
      code: 0,
      printed: fallback,
      logged: `Warning: ${sentence} The fallback stands in for it.`,
    });
  });

  test("is first in every format, and leads git where it is not the canonical url", async () => {
    const more = { fallback, canonical: "https://canonical.example.org/a" };
    const list = await runFrom(offline, { ...more, format: "list" });
    expect(list).toMatchObject({ code: 0, printed: [fallback, urls[0], urls[2], urls[1]].join("\n") });
    const own = await runFrom(offline, { fallback: urls[2], format: "list" });
    expect(own.printed).toBe([urls[2], urls[0], urls[1]].join("\n"));
    const variables = await runFrom(offline, { ...more, format: "env" });
    expect(variables.printed.split("\n")).toEqual([
      "MIRRORFEED_COUNT=0",
      `MIRRORFEED_URL=${fallback}`,
      "GIT_CONFIG_COUNT=1",
      `GIT_CONFIG_KEY_0=url.${fallback}.insteadOf`,
      "GIT_CONFIG_VALUE_0=https://canonical.example.org/a",
    ]);
    expect((await runFrom(offline, { ...more, format: "git" })).printed).toContain(
      `url.${fallback}.insteadOf`,
    );
    const json = await runFrom(offline, { ...more, format: "json" });
    expect([json.code, JSON.parse(json.printed)]).toEqual([
      0,
      expect.objectContaining({ outcome: "unreachable", fallback }),
    ]);
    expect(JSON.parse(json.printed)).not.toHaveProperty("mirror");
  });
});

test("hosts are excluded", async () => {
  expect((await runFrom(feedOf(mirrors), { exclude: ["mirror-3.example.org"] })).printed).toBe(urls[1]);
});

describe("nothing is known", () => {
  test.each(["url", "list", "env", "git"] as const)(
    "%s prints nothing, and it exits with 4",
    async (format) => {
      const { url } = await serve(page(200));
      expect(await run(url, { format, canonical: "https://canonical.example.org/a" })).toEqual({
        code: 4,
        printed: "",
        logged: "Unknown: The answer is not a feed: it does not follow the contract.",
      });
    },
  );

  test("json says so", async () => {
    const { url, close } = await serve(page(200));
    await close();
    const { code, printed } = await run(url, { format: "json" });
    expect([code, JSON.parse(printed)]).toEqual([
      4,
      { url: `${url}/`, target, outcome: "unknown", reason: "no_answer" },
    ]);
  });

  test("2 where the feed has no such target", async () => {
    const { url } = await serve(page(403, '{"error":"Target not found"}'));
    expect(await run(url)).toEqual({
      code: 2,
      printed: "",
      logged: `Not found: The feed knows no such target: ${target}.`,
    });
  });

  test("the last good answer is used, with a warning", async () => {
    const environment = { XDG_CACHE_HOME: temporaryFolder() };
    const { url, close } = await serveRoutes(feedOf(mirrors));
    await run(url, {}, { environment });
    await close();
    expect(await run(url, {}, { environment })).toEqual({
      code: 0,
      printed: urls[2],
      logged: expect.stringMatching(/^Warning: The feed gave no answer\. This is its answer of 2026-03-10/),
    });
  });
});

test("the original service is picked from too", async () => {
  const routes = { [`/v1/network/${target}`]: { document: contractOf(mirrors) } };
  expect((await runFrom(routes)).printed).toBe(urls[1]);
});

describe("with real repositories", () => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await startTestbed();
  });
  afterAll(async () => {
    await testbed.close();
  });

  /** Two repositories that differ, the canonical one of which is gone, and a feed that says so. */
  async function outage() {
    const { good, lagging } = testbed.repositories;
    const primary = await testbed.startServer(testbed.gitServer(good.folder));
    const copy = await testbed.startServer(testbed.gitServer(lagging.folder));
    const [canonical, other] = [`${primary.url}/jcb`, `${copy.url}/jcb`].map((url) =>
      url.replace("/jcb", ""),
    );
    const feed = await serveRendered([canonical ?? "", other ?? ""], [[{ code: "refused" }, {}]]);
    return { canonical: canonical ?? "", other: other ?? "", head: lagging.head, primary, feed };
  }

  const bare: NodeJS.ProcessEnv = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_|_proxy$/i.test(name))),
    GIT_TERMINAL_PROMPT: "0",
  };

  /** A script of a POSIX shell in a home of its own, which ends at the first command that fails. */
  async function shell(script: string, home: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
    const { stdout } = await execute("bash", ["-euo", "pipefail", "-c", script], {
      cwd: home,
      env: { ...bare, HOME: home, XDG_CONFIG_HOME: join(home, ".config"), ...more },
    });
    return stdout.trim();
  }

  test("git clones another mirror by the printed setting, and the canonical one again once that is back", async () => {
    const { canonical, other, head, primary, feed } = await outage();
    await primary.close();
    const home = temporaryFolder();
    await expect(shell(`git clone -q '${canonical}' before`, home)).rejects.toThrow(/git clone/);
    const { code, printed } = await run(feed, { format: "git", canonical });
    expect(code).toBe(0);
    const context = join(home, "setting.sh");
    writeFileSync(context, printed);
    for (const clone of ["once", "twice"])
      expect(
        await shell(
          `. ./setting.sh; git clone -q '${canonical}' ${clone}; git -C ${clone} rev-parse HEAD`,
          home,
        ),
      ).toBe(head);
    const get = "git config --global --get-regexp 'insteadof'";
    expect(await shell(get, home)).toBe(`url.${other}.insteadof ${canonical}`);

    // The other mirror is not the best any more. The user's setting for another URL stays.
    await shell(`git config --global url.https://own.example.org/.insteadOf https://own.example.com/`, home);
    writeFileSync(context, gitSetting("https://third.example.org/a", canonical));
    await shell(". ./setting.sh", home);
    expect((await shell(get, home)).split("\n").sort()).toEqual([
      "url.https://own.example.org/.insteadof https://own.example.com/",
      `url.https://third.example.org/a.insteadof ${canonical}`,
    ]);
    writeFileSync(context, gitSetting(canonical, canonical));
    await shell(". ./setting.sh; . ./setting.sh", home);
    expect(await shell(get, home)).toBe("url.https://own.example.org/.insteadof https://own.example.com/");
  });

  test("so it does by the variables, of this run and of one before it", async () => {
    const { canonical, head, primary, feed } = await outage();
    await primary.close();
    const home = temporaryFolder();
    const before = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "url.https://x/.insteadOf",
      GIT_CONFIG_VALUE_0: "https://y/",
    };
    for (const environment of [{}, before]) {
      const { printed } = await run(feed, { format: "env", canonical }, { environment });
      writeFileSync(join(home, "variables"), `${printed}\n`);
      const script = `while IFS= read -r line; do export "$line"; done < variables
        git clone -q '${canonical}' "clone-$GIT_CONFIG_COUNT"; git -C "clone-$GIT_CONFIG_COUNT" rev-parse HEAD`;
      expect(await shell(script, home, environment)).toBe(head);
    }
    expect(readFileSync(join(home, "variables"), "utf8")).toContain(
      "GIT_CONFIG_COUNT=2\nGIT_CONFIG_KEY_1=url.",
    );
  });

  test("git clones what the one-liner names, and the fallback where the feed has no answer", async () => {
    const { canonical, other, head, primary, feed } = await outage();
    const home = temporaryFolder();
    const clone = (folder: string, command: string): Promise<string> =>
      shell(`git clone -q "$(${command})" ${folder}; git -C ${folder} rev-parse HEAD`, home);
    const best = await run(feed, { fallback: canonical });
    expect([best.code, best.printed]).toEqual([0, other]);
    expect(await clone("mirror", `echo '${best.printed}'`)).toBe(head);
    const away = await serve(page(503));
    const oneLiner = `'${execPath}' '${program}' pick ${away.url} ${target}`;
    await expect(clone("nothing", oneLiner)).rejects.toThrow(/HTTP error.*\n.*repository '' does not exist/);
    expect(await clone("fallback", `${oneLiner} --fallback '${canonical}'`)).toBe(
      testbed.repositories.good.head,
    );
    await primary.close();
  });

  test("--probe goes on to the next where the picked one does not answer from here", async () => {
    const { identical } = testbed.repositories;
    const good = await testbed.startServer(testbed.gitServer(identical.folder));
    const login = await testbed.startServer(lab.loginPage());
    const nodes = [
      mirror(1, 1, { url: `${testbed.refusedUrl()}/a`, latency_ms: 1 }),
      mirror(2, 1, { url: `${login.url}/a`, latency_ms: 2 }),
      mirror(3, 1, { url: good.url, latency_ms: 3 }),
      mirror(4, 1, { latency_ms: 4 }),
    ];
    const verified = { probe: true, allowPrivate: true };
    const { code, printed, logged } = await runFrom(feedOf(nodes), verified);
    expect([code, printed]).toEqual([0, good.url]);
    expect(logged.split("\n")).toEqual([
      `${nodes[0]?.url ?? ""} is left out: It refused the connection.`,
      `${nodes[1]?.url ?? ""} is left out: Its answer is not that of a Git repository.`,
    ]);
    const list = await runFrom(feedOf(nodes), { ...verified, format: "list" });
    expect(list.printed.split("\n")).toEqual([3, 4, 1, 2].map((id) => nodes[id - 1]?.url));
    const json = await runFrom(feedOf(nodes), { ...verified, format: "json" });
    expect(JSON.parse(json.printed)).toMatchObject({
      outcome: "reachable",
      mirror: { id: 3 },
      probes: [
        { code: "refused" },
        { code: "not_git", http_status: 200 },
        { code: "ok", revision: identical.head },
      ],
    });
    expect((await runFrom(feedOf(nodes.slice(0, 2)), { ...verified, kind: "http" })).printed).toBe(
      nodes[1]?.url,
    );
  });

  test("--probe finds one that the feed calls offline, and none where none answers", async () => {
    const good = await testbed.startServer(testbed.gitServer(testbed.repositories.good.folder));
    const nodes = [mirror(1, 0, { url: `${testbed.refusedUrl()}/a` }), mirror(2, 0, { url: good.url })];
    expect(await runFrom(feedOf(nodes), { probe: true, allowPrivate: true })).toMatchObject({
      code: 0,
      printed: good.url,
    });
    const none = await runFrom(feedOf(nodes.slice(0, 1)), {
      probe: true,
      allowPrivate: true,
      format: "list",
    });
    expect(none).toMatchObject({ code: 1, printed: nodes[0]?.url });
  });

  test("--probe does not connect to private addresses that a feed names, unless it is allowed", async () => {
    const inner = await testbed.startServer(testbed.gitServer(testbed.repositories.good.folder));
    const { code, logged } = await runFrom(feedOf([mirror(1, 1, { url: inner.url })]), { probe: true });
    expect([code, logged.split("\n")[0]]).toEqual([
      1,
      `${inner.url} is left out: Its address is private, and private addresses are not probed. Allow them with --allow-private.`,
    ]);
    expect(inner.connections).toBe(0);
  });
});

describe("what a shell is given", () => {
  const hostile = "https://a.example.org/'$(id)';id&id;*?!a=(b)~:~";

  test("stays plain text for any URL of a mirror", async () => {
    const home = temporaryFolder();
    const { printed } = await runFrom(feedOf([mirror(1, 1, { url: hostile })]), {
      format: "git",
      canonical: "https://c/'`id`$x",
    });
    await execute("sh", ["-c", printed], { cwd: home, env: { PATH: env["PATH"], HOME: home } });
    expect(await quietGit(["config", "--file", join(home, ".gitconfig"), "--list"])).toBe(
      `url.${hostile}.insteadof=https://c/'\`id\`$x`,
    );
  });

  test("as variables has one line for each", async () => {
    const { printed } = await runFrom(feedOf([mirror(1, 1, { url: hostile })]), {
      format: "env",
      canonical: "https://c/",
    });
    expect(printed.split("\n").map((line) => line.split("=")[0])).toEqual([
      "MIRRORFEED_COUNT",
      "MIRRORFEED_URL",
      "GIT_CONFIG_COUNT",
      "GIT_CONFIG_KEY_0",
      "GIT_CONFIG_VALUE_0",
    ]);
  });
});

describe("the variables of git", () => {
  const [key, value] = ["url.https://m/.insteadOf", "https://c/"];

  test.each<[CommandContext["environment"], [string, string][]]>([
    [
      {},
      [
        ["GIT_CONFIG_COUNT", "1"],
        ["GIT_CONFIG_KEY_0", key],
        ["GIT_CONFIG_VALUE_0", value],
      ],
    ],
    [
      { GIT_CONFIG_COUNT: "x" },
      [
        ["GIT_CONFIG_COUNT", "1"],
        ["GIT_CONFIG_KEY_0", key],
        ["GIT_CONFIG_VALUE_0", value],
      ],
    ],
    [
      { GIT_CONFIG_COUNT: "2" },
      [
        ["GIT_CONFIG_COUNT", "3"],
        ["GIT_CONFIG_KEY_2", key],
        ["GIT_CONFIG_VALUE_2", value],
      ],
    ],
    [
      { GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_0: "url.https://n/.insteadof", GIT_CONFIG_VALUE_0: value },
      [
        ["GIT_CONFIG_COUNT", "2"],
        ["GIT_CONFIG_KEY_0", key],
        ["GIT_CONFIG_VALUE_0", value],
      ],
    ],
    [
      { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.proxy", GIT_CONFIG_VALUE_0: value },
      [
        ["GIT_CONFIG_COUNT", "2"],
        ["GIT_CONFIG_KEY_1", key],
        ["GIT_CONFIG_VALUE_1", value],
      ],
    ],
  ])("behind %j", (environment, expected) => {
    expect(gitVariables("https://m/", value, environment)).toEqual(expected);
  });
});
