import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Behaviour } from "../../support/mirror-server.ts";
import { git } from "../../support/git.ts";
import { type GraphRefs, line, makeGraph } from "../../support/git-graph.ts";
import { runInProcess } from "../../support/in-process.ts";
import { writeFeed } from "../../support/mirror-feed.ts";
import { day, noon } from "../../support/playing.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const testbed = await startTestbed();
const [main, feature, release] = ["refs/heads/main", "refs/heads/feature", "refs/tags/v1"];
/** Commits 0 to 3 are the reference's. A fork has 4 in addition. */
const parents = [...line(4), [3]];

/** Serves a repository as `/r.git`. Its former name, `/old`, redirects to it. */
async function serve(refs: GraphRefs, ...options: readonly string[]): Promise<string> {
  const last = Math.max(...Object.values(refs));
  const { folder } = await makeGraph(parents.slice(0, last + 1), refs, ...options);
  const backend = testbed.gitServer(dirname(folder));
  const behaviour: Behaviour = (exchange) => {
    const { path, response } = exchange;
    if (!path.startsWith("/old/")) return backend(exchange);
    response.writeHead(301, { location: path.replace("/old/", "/r.git/") }).end();
    return undefined;
  };
  return (await testbed.startServer(behaviour)).url;
}

test("mirrors that can't match, or have moved, say what to change", async () => {
  const all = { [main]: 3, [feature]: 2, [release]: 1 };
  const reference = await serve(all);
  const moved = await serve(all);
  const urls = [
    `${reference}/r.git`,
    `${await serve({ [main]: 3, [release]: 1 })}/r.git`,
    `${await serve({ ...all, [main]: 4 })}/r.git`,
    `${moved}/old`,
    `${await serve(all, "--object-format=sha256")}/r.git`,
    `${await serve({ ...all, [feature]: 1 })}/r.git`,
  ];
  const folder = temporaryFolder();
  writeFeed(folder, urls, { timeout: "60s" });
  const run = async (at: number, ...options: readonly string[]) =>
    runInProcess(["run", ...options], { folder, now: () => at });
  await run(noon);
  await run(noon + 1.5 * day);
  const { stdout } = await run(noon + 3 * day, "--json");
  const { nodes } = JSON.parse(stdout) as { nodes: { state: string; explanation?: string }[] };
  const remedies = [
    `If it copies only its main branch and tags, set probe.git.refs of its target to ["${main}","refs/tags/*"].`,
    "If it is a fork with commits of its own, it can never match; give it a target of its own.",
    `It redirects to ${moved}/r.git; use this URL in mirrors.json.`,
    "Its object ids can never match the reference's; create it with git init --object-format=sha1.",
  ] as const;
  expect(nodes.map(({ state, explanation }) => [state, explanation])).toEqual([
    ["online", undefined],
    ["behind", `It has been behind for 3 days: 1 ref missing. ${remedies[0]}`],
    ["differs", expect.stringMatching(/^It has differed from the reference for 3 days: 1 ref different\. /)],
    ["online", remedies[2]],
    ["differs", expect.stringContaining("3 refs different")],
    ["behind", "It has been behind for 3 days: it still has the reference's earlier content."],
  ]);
  expect(nodes[2]?.explanation).toContain(remedies[1]);
  expect(nodes[4]?.explanation).toContain(remedies[3]);
  const page = readFileSync(join(folder, "_site/status/s/p/t/index.html"), "utf8");
  const shown = page
    .replaceAll("<wbr>", "")
    .replaceAll("&quot;", '"')
    .matchAll(/<dt>Remedy<dd><b class=notice>(.*?)<\/b>/g);
  expect([...shown].map(([, text]) => text).toSorted()).toEqual(remedies.toSorted());
  const report = readFileSync(join(folder, "_site/v1/report/s/p/t/index.json"), "utf8");
  expect(report).toContain(`"moved_to":"${moved}/r.git"`);
  // Git follows the redirect, and the URL that is proposed needs none.
  expect(await git(["ls-remote", `${moved}/r.git`])).toBe(await git(["ls-remote", urls[3] ?? ""]));

  // Also of mirrors that are offline for their content.
  const strict = { offlineAfter: "1d", states: ["behind", "differs"] };
  writeFeed(folder, urls, { timeout: "60s" }, { freshness: strict });
  const { stdout: offline } = await run(noon + 4 * day, "--json");
  expect(JSON.parse(offline)).toMatchObject({
    nodes: [
      { state: "online" },
      { state: "offline", explanation: `Its content is older than the operator allows. ${remedies[0]}` },
      { state: "offline", explanation: expect.stringContaining(remedies[1]) },
      { state: "online" },
      { state: "offline", explanation: expect.stringContaining(remedies[3]) },
      { state: "offline" },
    ],
  });

  // What the sentences name helps.
  const [, setting = ""] = /set probe\.git\.refs of its target to (.*)\.$/.exec(remedies[0]) ?? [];
  const [, url = ""] = /redirects to (.*); use/.exec(remedies[2]) ?? [];
  const refs: unknown = JSON.parse(setting);
  writeFeed(folder, [...urls.slice(0, 3), url], { timeout: "60s", git: { refs } });
  const after = await run(noon + 5 * day, "--json");
  expect(JSON.parse(after.stdout)).toMatchObject({
    nodes: [{ state: "online" }, { state: "online" }, { state: "differs" }, { state: "online" }],
  });
  expect(after.stdout).not.toContain("redirects");
});
