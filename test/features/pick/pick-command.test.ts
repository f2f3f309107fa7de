import { execFile } from "node:child_process";
import { env } from "node:process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { sentenceOf } from "../../../src/core/kinds/kinds.ts";
import type { Mirror } from "../../../src/client/index.ts";
import { pick, type PickOptions } from "../../../src/features/pick/pick-command.ts";
import type { CommandContext } from "../../../src/core/base/terminal/context.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import {
  contractOf,
  feedOf,
  mirror,
  page,
  type Routes,
  serve,
  serveRoutes,
  target,
} from "../../support/serving.ts";
import { feedContext } from "../../support/feed-context.ts";

const execute = promisify(execFile);

const mirrors = [
  mirror(1, 0, { primary: true, freshness: "in_sync" }),
  mirror(2, 1, { freshness: "behind", mean_latency_ms: 5 }),
  mirror(3, 1, { freshness: "in_sync", mean_latency_ms: 50 }),
];
const urls = mirrors.map(({ url }) => url);

async function run(url: string, options: Partial<PickOptions> = {}, more: Partial<CommandContext> = {}) {
  const { context, printed, logged } = feedContext(more);
  const defaults = { format: "url", timeout: 5000 } as const;
  const code = await pick(url, target, { ...defaults, ...options }, context);
  return { code, printed: printed(), logged: logged() };
}

async function runFrom(routes: Routes, ...more: [Partial<PickOptions>?, Partial<CommandContext>?]) {
  return run((await serveRoutes(routes)).url, ...more);
}

const git = { kind: "git", options: {} };
const network = `/v1/network/${target}`;
const badStatus = "The feed answered with an unexpected HTTP status; check its URL, including the path.";
const fallback = "https://fallback.example.org/a";
const offline = feedOf(mirrors.map((one) => ({ ...one, status: 0 })));
const noneReachable = `No mirror of ${target} is reachable.`;

const [first = "", second = "", best = ""] = urls;
const known = ["MIRRORFEED_COUNT=2", `MIRRORFEED_URL=${best}`];
const nothing = ["MIRRORFEED_COUNT=0"];

describe("what is printed", () => {
  test.each<[string, Routes, Partial<PickOptions>, number, readonly string[]]>([
    ["the best mirror", feedOf(mirrors), {}, 0, [best]],
    ["the best that is not excluded", feedOf(mirrors), { exclude: ["mirror-3.example.org"] }, 0, [second]],
    ["all, the best first", feedOf(mirrors), { format: "list" }, 0, [best, second, first]],
    ["a variable a line", feedOf(mirrors), { format: "env" }, 0, known],
    ["of the contract alone", { [network]: { document: contractOf(mirrors) } }, {}, 0, [second]],
    ["no fallback", feedOf(mirrors), { fallback }, 0, [best]],
    ["no fallback in the list", feedOf(mirrors), { fallback, format: "list" }, 0, [best, second, first]],
    ["nothing, if all are offline", offline, {}, 1, []],
    ["their number, if all are offline", offline, { format: "env" }, 1, nothing],
    ["all, if they are offline", offline, { format: "list" }, 1, [best, first, second]],
    ["the fallback", offline, { fallback }, 0, [fallback]],
    ["the fallback first", offline, { fallback, format: "list" }, 0, [fallback, best, first, second]],
    ["the fallback once", offline, { fallback: best, format: "list" }, 0, [best, first, second]],
    ["its variables", offline, { fallback, format: "env" }, 0, [...nothing, `MIRRORFEED_URL=${fallback}`]],
  ])("%s", async (_, routes, options, code, lines) => {
    const logged = code === 0 && options.fallback === undefined ? "" : expect.any(String);
    expect(await runFrom(routes, options)).toEqual({ code, printed: lines.join("\n"), logged });
  });

  test("as JSON is all that is known", async () => {
    const jsonOf = async (routes: Routes, options: Partial<PickOptions> = {}) => {
      const { code, printed } = await runFrom(routes, { json: true, ...options });
      return { code, document: JSON.parse(printed) as object };
    };
    expect(await jsonOf(feedOf(mirrors), { fallback })).toEqual({
      code: 0,
      document: {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
        target,
        outcome: "reachable",
        mirror: mirrors[2],
        mirrors: [mirrors[2], mirrors[1], mirrors[0]],
        generated_at: "2026-03-10T12:00:00.000Z",
        expires_at: "2026-03-10T14:00:00.000Z",
      },
    });
    const up = feedOf(mirrors.map((one) => ({ ...one, status: 1 })));
    const { document } = await jsonOf(up, { exclude: ["mirror-1.example.org"] });
    expect(document).toMatchObject({ mirror: { id: 3 } });
    const none = await jsonOf(offline, { fallback });
    expect(none).toMatchObject({ code: 0, document: { outcome: "unreachable", fallback } });
    expect(none.document).not.toHaveProperty("mirror");
    const unknown = { target, outcome: "unknown", reason: "http_status" };
    expect(await jsonOf({}, { format: "json" })).toMatchObject({ code: 4, document: unknown });
  });

  test("is drawn with --spread, and prefers the --country", async () => {
    const one = mirror(1, 1, { freshness: "in_sync" });
    const equals = feedOf([one, mirror(2, 1, { freshness: "in_sync", country: "DE", weight: 3 })]);
    const drawn = { random: () => 0.99 };
    expect((await runFrom(equals, {}, drawn)).printed).toBe(first);
    expect((await runFrom(equals, { spread: true }, drawn)).printed).toBe(second);
    expect((await runFrom(equals, { country: "DE" })).printed).toBe(second);
  });
});

const unknownTarget = page(403, '{"error":"Target not found"}');
const notContract = "The answer is not a feed: it does not follow the contract.";

describe("without a mirror it says why", () => {
  test.each<[string, Routes, number, string]>([
    ["no mirror is reachable", offline, 1, noneReachable],
    ["no answer of the contract", {}, 4, badStatus],
    ["no such target", { [`${network}/`]: unknownTarget }, 2, `The feed has no such target: ${target}.`],
    ["a login page", { [`${network}/`]: page(200) }, 4, notContract],
  ])("%s", async (_, routes, code, sentence) => {
    const prefix = { 1: "", 2: "Not found: ", 4: "Unknown: " }[code] ?? "";
    expect(await runFrom(routes)).toEqual({ code, printed: "", logged: prefix + sentence });
    const logged = `Warning: ${sentence} Using the fallback instead.`;
    expect(await runFrom(routes, { fallback })).toEqual({ code: 0, printed: fallback, logged });
    if (code !== 4) return;
    for (const format of ["list", "env"] as const)
      expect(await runFrom(routes, { format })).toMatchObject({ code, printed: "" });
  });

  test.each([{ ids: [1, 2, 3] }, { ids: [2, 3] }])("the hosts $ids are excluded", async ({ ids }) => {
    const skipped = "2 reachable mirrors (mirror-2.example.org, mirror-3.example.org)";
    const exclude = ids.map((id) => `mirror-${id}.example.org`);
    const logged = `No mirror of ${target} can be picked: --exclude skips ${skipped}.`;
    expect(await runFrom(feedOf(mirrors), { exclude })).toEqual({ code: 1, printed: "", logged });
    expect(await runFrom(offline, { exclude })).toMatchObject({ code: 1, logged: noneReachable });
    const one = await runFrom(feedOf([mirror(1, 0), mirror(2, 1)]), { exclude });
    expect(one.logged).toContain(": --exclude skips 1 reachable mirror (mirror-2.example.org).");
  });
});

const testbed = await startTestbed();

describe("with real repositories", () => {
  test("--probe goes on to the next where the picked one does not answer from here", async () => {
    const { identical } = testbed.repositories;
    const good = await testbed.startServer(testbed.gitServer(identical.folder));
    const login = await testbed.startServer(lab.loginPage());
    const nodes = [
      mirror(1, 1, { ...git, url: `${testbed.refusedUrl}/a`, mean_latency_ms: 1 }),
      mirror(2, 1, { ...git, url: `${login.url}/a`, mean_latency_ms: 2 }),
      mirror(3, 1, { ...git, url: good.url, mean_latency_ms: 3 }),
      mirror(4, 1, { ...git, mean_latency_ms: 4 }),
    ];
    const verified = { probe: true, allowPrivate: true };
    const { code, printed, logged } = await runFrom(feedOf(nodes), verified);
    expect([code, printed]).toEqual([0, good.url]);
    expect(logged.split("\n")).toEqual([
      `Skipped ${nodes[0]?.url ?? ""}: It refused the connection.`,
      `Skipped ${nodes[1]?.url ?? ""}: It did not answer like a Git repository.`,
    ]);
    const list = await runFrom(feedOf(nodes), { ...verified, format: "list" });
    expect(list.printed.split("\n")).toEqual([3, 4, 1, 2].map((id) => nodes[id - 1]?.url));
    const json = await runFrom(feedOf(nodes), { ...verified, format: "json" });
    const probes = [{ code: "refused" }, { code: "not_git", http_status: 200 }];
    expect(JSON.parse(json.printed)).toMatchObject({
      outcome: "reachable",
      mirror: { id: 3 },
      probes: [...probes, { code: "ok", revision: identical.head }],
    });
    const asFile = await runFrom(feedOf(nodes.slice(0, 2)), { ...verified, kind: "http" });
    expect(asFile.printed).toBe(nodes[1]?.url);
  });

  test("--probe finds one that the feed calls offline", async () => {
    const good = await testbed.startServer(testbed.gitServer(testbed.repositories.good.folder));
    const nodes = [mirror(1, 0, { ...git, url: good.url })];
    const { code, printed } = await runFrom(feedOf(nodes), { probe: true, allowPrivate: true });
    expect([code, printed]).toEqual([0, good.url]);
  });

  test("--probe does not connect to private addresses that a feed names, unless it is allowed", async () => {
    const inner = await testbed.startServer(testbed.gitServer(testbed.repositories.good.folder));
    const feed = feedOf([mirror(1, 1, { ...git, url: inner.url })]);
    const { code, logged } = await runFrom(feed, { probe: true });
    expect([code, logged.split("\n")[0]]).toEqual([
      1,
      `Skipped ${inner.url}: Its address is private, and private addresses are not probed. Allow them with --allow-private.`,
    ]);
    expect(inner.connections).toBe(0);
  });
});

describe("--probe takes the kind of a mirror from the feed", () => {
  const named = (more: Partial<Mirror>) =>
    feedOf([mirror(1, 1, { url: `${testbed.refusedUrl}/a`, ...more })]);

  const unsupported = "this version does not support its kind";
  const asked = "It refused the connection.";

  test.each<[string, Partial<Mirror>, Partial<PickOptions>, string]>([
    ["and not Git for one", {}, {}, "the feed does not say its kind; name the kind with --kind."],
    ["which may be unknown here", { kind: "ipfs", options: {} }, {}, unsupported],
    ["with options that may be unknown", { kind: "apt", options: { suite: 1 } }, {}, unsupported],
    ["unless one is given", { kind: "ipfs", options: {} }, { kind: "http" }, asked],
    ["without files that it names", { kind: "apt", options: { keyring: "/nowhere.gpg" } }, {}, asked],
    ["with its options", { kind: "apt", options: { suite: "sid" } }, {}, asked],
  ])("%s", async (_, more, options, text) => {
    const found = await runFrom(named(more), { probe: true, allowPrivate: true, ...options }).then(
      ({ logged }) => logged,
      (error: unknown) => String(error),
    );
    expect(found).toContain(text);
  });

  test("and uses the fallback if it knows none of the kinds", async () => {
    const feed = named({ kind: "ipfs", options: {} });
    const { code, printed, logged } = await runFrom(feed, { probe: true, fallback });
    expect({ code, printed }).toEqual({ code: 0, printed: fallback });
    expect(logged).toContain(unsupported);
  });
});

test("a picked mirror that is known to be wrong is said to be", async () => {
  const wrong = [mirror(1, 1, { state: "wrong", content_code: "expired", freshness: "in_sync" })];
  expect(await runFrom(feedOf(wrong))).toMatchObject({
    code: 0,
    printed: first,
    logged: `Warning: ${first} is reachable, but its content is wrong. ${sentenceOf("expired")}`,
  });
  const differs = await runFrom(feedOf([mirror(1, 1, { state: "differs", freshness: "differs" })]));
  const behind = await runFrom(feedOf([mirror(1, 1, { state: "behind", freshness: "behind" })]));
  expect(behind.logged).toBe(`Warning: ${first} is behind: its content is older than the reference's.`);
  expect(differs.logged).toBe(`Warning: ${first} differs: its content does not match the reference.`);
});

describe("what a shell is given", () => {
  test.each(["sh", "bash"])("as variables is exact in %s, whatever the URL contains", async (shell) => {
    const letters = ["~", "?", "@", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", "%41", "-", ":"];
    // A shell expands a tilde at the start of a word, and after a colon or an equals sign.
    const paths = letters.flatMap((letter) => [`${letter}~root`, `~${letter}root`]);
    const wanted = [...paths, letters.join("a")].map((path) => `https://a.example.org/${path}`);
    const feed = await serve(({ response, path }) => {
      const served = feedOf([mirror(1, 1, { url: wanted[printed.length] ?? "" }), mirror(2, 1)])[path];
      response.end(JSON.stringify(served !== undefined && "document" in served ? served.document : {}));
    });
    const printed: string[] = [];
    for (const _ of wanted) printed.push((await run(feed.url, { format: "env" })).printed);
    const script = `for one; do eval "$one"; printf '%s\n' "$MIRRORFEED_URL"; done`;
    const home = { env: { PATH: env["PATH"], HOME: "/nonexistent" } };
    const { stdout, stderr } = await execute(shell, ["-c", script, shell, ...printed], home);
    expect(stderr).toBe("");
    const evaluated = stdout.trimEnd().split("\n");
    expect(wanted.filter((url, index) => ![url, second].includes(evaluated[index] ?? ""))).toEqual([]);
  });

  test.each(["$(id)", "a;id", "a:~"])("as variables is no URL with %s", async (path) => {
    const url = `https://a.example.org/${path}`;
    const feed = feedOf([mirror(1, 1, { url }), mirror(2, 1)]);
    const reason =
      "a shell that evaluates the output would run part of the URL as a command. Use --format json.";
    const { code, printed, logged } = await runFrom(feed, { format: "env" });
    expect({ code, logged }).toEqual({ code: 0, logged: `Skipped ${url}: ${reason}` });
    expect(printed).toContain(second);
    const alone = await runFrom(feedOf([mirror(1, 1, { url })]), { format: "env", fallback });
    expect(alone).toMatchObject({ code: 0, printed: `${nothing.join("")}\nMIRRORFEED_URL=${fallback}` });
  });
});
