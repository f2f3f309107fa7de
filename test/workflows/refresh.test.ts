import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  commitAll,
  commitMirrors,
  copyRepository,
  filesWith,
  type Repository,
  stateBranch,
  statusesIn,
  token,
} from "../support/github.ts";
import { siteBranch } from "../../src/features/hosts/host.ts";
import { git } from "../support/git.ts";
import { put } from "../support/folder.ts";
import { hostileName, refresh, startFeed, startJob } from "../support/job.ts";
import { target } from "../support/one-target.ts";
import { key } from "../support/signing.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const workflow = parseWorkflow(readWorkflow("refresh.yml"));

/** A repository after its first run, and that run. Each test continues in a copy. */
const { steady, failing, started, first } = await startFeed(workflow);
let repository: Repository;

beforeEach(() => {
  steady.isDown = false;
  failing.isDown = false;
  repository = copyRepository(started);
});

describe("the job refresh", () => {
  test("makes a site, remembers on a branch of one commit, and tells what changed", async () => {
    expect(first, first.output).toMatchObject({ result: "success", outputs: { attempt: "1" }, commands: [] });
    expect(statusesIn(first.site, target)).toEqual({ 1: 1, 2: 1 });
    expect(first.summary).toContain("## 2 mirrors: 2 online\n\nNo mirror changed its state.\n");
    expect(await stateBranch(repository)).toMatchObject({ commits: 1, files: "state.json", runs: ["100.1"] });

    failing.isDown = true;
    const { summary, ...second } = await refresh(repository, workflow, { runId: "101" });
    expect(second, second.output).toMatchObject({ result: "success", commands: [] });
    expect(statusesIn(second.site, target)).toEqual({ 1: 1, 2: 0 });
    expect(await stateBranch(repository)).toMatchObject({ commits: 1, runs: ["100.1", "101.1"] });

    expect(summary).toContain("## 2 mirrors: 1 online, 1 offline\n");
    expect(summary).toContain("| Target | Node | Mirror | State | Why |\n| --- | --: | --- | --- | --- |\n");
    expect(summary).toContain("| Target | Node | Mirror | Before | Now |\n| --- | --: | --- | --- | --- |\n");
    const rows = summary.split("\n").filter((line) => line.startsWith("| community"));
    expect(rows.map((row) => row.split("|").map((cell) => decode(cell.trim())))).toEqual([
      ["", target, "2", hostileName, "offline", "It dropped the connection before it answered.", ""],
      ["", target, "2", hostileName, "online", "offline", ""],
    ]);
    for (const row of rows) expect(row.replaceAll(/&#\d+;/g, "")).toMatch(/^[A-Za-z0-9 |]*$/);

    const third = await refresh(repository, workflow, { runId: "102" });
    expect(third.summary).toMatch(/\| offline \| .*\n\nNo mirror changed its state\.\n/);
    expect([started, repository].flatMap(({ folder }) => filesWith(token, folder))).toEqual([]);
  });

  test("names the address that GitHub gives the site, and none while Pages is switched off", async () => {
    const feedOf = (site: string): string => readFileSync(join(site, "feed.json"), "utf8");
    expect(feedOf(first.site)).not.toContain("home_page_url");

    const url = "https://octocat.github.io/Mirror-Status";
    const { site } = await refresh(repository, workflow, { runId: "101", url });
    const urls = { home_page_url: `${url}/`, feed_url: `${url}/feed.json` };
    expect(JSON.parse(feedOf(site))).toMatchObject(urls);
  });

  test("that saw nothing ends with a warning: it saves nothing and has nothing to deploy", async () => {
    const before = await stateBranch(repository);
    steady.isDown = true;
    failing.isDown = true;
    const run = await refresh(repository, workflow, { runId: "101" });
    expect(run, run.output).toMatchObject({ result: "success", outputs: {} });
    expect(run.commands).toEqual([
      { name: "warning", properties: "title=The prober is offline", data: expect.stringContaining("void") },
    ]);
    expect(run.summary).toContain("## The feed was left as it was\n");
    expect(await stateBranch(repository)).toEqual(before);
  });

  test("can push the site to a branch instead of Pages", async () => {
    const { job } = await refresh(repository, workflow, { runId: "101" });
    const published = await job.run("Publish");
    expect(published, published.output).toMatchObject({ result: "success", commands: [] });
    const document = `${siteBranch}:v1/network/${target}/index.json`;
    const text = await git(["--git-dir", repository.origin, "show", document]);
    expect(JSON.parse(text)).toMatchObject({ network: [{ status: 1 }, { status: 1 }] });
    expect(filesWith(token, repository.folder)).toEqual([]);
  });

  test("names another artifact in a second attempt, since that of the first is still there", async () => {
    const run = await refresh(repository, workflow, { runId: "100", attempt: 2 });
    expect(run, run.output).toMatchObject({ result: "success", outputs: { attempt: "2" } });
    expect((await stateBranch(repository)).runs).toEqual(["100.1", "100.2"]);
  });

  test("is red for a broken mirrors.json, and changes nothing", async () => {
    const before = await stateBranch(repository);
    await commitMirrors(repository, "{}");
    const run = await refresh(repository, workflow, { runId: "101" });
    expect(run).toMatchObject({ result: "failure", outputs: {} });
    expect(await stateBranch(repository)).toEqual(before);
  });

  test("says whether a public key is beside mirrors.json", async () => {
    const look = "Look for a public key";
    expect(await first.job.run(look)).toMatchObject({ result: "success", outputs: {} });
    put(first.job.workspace, { "mirrorfeed.pub": key.publicKey });
    expect(await first.job.run(look)).toMatchObject({ result: "success", outputs: { found: "true" } });
  });

  test("uploads the operator's hidden files, and none of its own", async () => {
    const copy = copyRepository(started);
    const contact = { "public/.well-known/security.txt": "Contact: mailto:a@example.org\n" };
    put(join(copy.folder, "author"), contact);
    await commitAll(copy, "Contact");
    const { job, site } = await refresh(copy, workflow, { runId: "101" });
    expect(await job.run("Leave out mirrorfeed's own files")).toMatchObject({ result: "success" });
    const hidden = readdirSync(site).filter((name) => name.startsWith("."));
    expect(hidden.sort()).toEqual([".nojekyll", ".well-known"]);
  });

  test("says what Pages needs, and more in a private repository", async () => {
    const { run } = first.job;
    const title = "title=GitHub Pages is not enabled";
    const needs = { name: "warning", properties: title, data: expect.not.stringContaining("paid") };
    expect((await run("Say what Pages needs")).commands).toEqual([needs]);
    const values = { "github.event.repository.private": "true" };
    const job = await startJob(repository, workflow, "refresh", { values });
    const plan = { data: expect.stringContaining("paid plan") };
    expect((await job.run("Say what Pages needs")).commands).toMatchObject([plan]);
  });

  test("says whether mirrors.json has receivers", async () => {
    const look = "Look for receivers in mirrors.json";
    expect(await first.job.run(look)).toMatchObject({ result: "success", outputs: {} });
    await commitMirrors(repository, '{ "notify" : {} }');
    const broken = await refresh(repository, workflow, { runId: "101" });
    expect((await broken.job.run(look)).outputs).toEqual({ named: "true" });
  });
});

test("only what the run has made is deployed, and each job calls the program that npm ci has built", () => {
  const { refresh: made, deploy } = workflow.jobs;
  const signedFirst = /needs\.sign\.outputs\.artifact \|\|.*refresh\.outputs\.attempt/;
  const attempt = "github-pages-${{ steps.run.outputs.attempt }}";
  const uploaded = "steps.upload.outcome == 'success' && steps.run.outputs.attempt";
  expect(made).toMatchObject({ outputs: { attempt: `\${{ ${uploaded} || '' }}` } });
  expect(made?.steps.at(-1)).toMatchObject({
    id: "upload",
    if: "env.PUBLISH == 'pages' && steps.run.outputs.attempt != ''",
    with: { name: attempt, path: "_site", "include-hidden-files": "true" },
  });
  expect(made?.steps.find(({ name }) => name === "Publish")).toMatchObject({
    if: "env.PUBLISH == 'branch' && steps.run.outputs.attempt != ''",
  });
  expect(made?.steps.find(({ name }) => name?.startsWith("Probe"))).toMatchObject({ id: "run" });
  expect(deploy).toMatchObject({
    needs: ["refresh", "sign"],
    if: expect.stringContaining("needs.refresh.result == 'success' && needs.refresh.outputs.attempt != ''"),
    steps: [
      { with: { artifact_name: expect.stringMatching(signedFirst), timeout: "1800000" } },
      { if: "failure()", run: expect.stringContaining("Run workflow") },
    ],
  });
  // The job must outlive the deployment that it waits for.
  expect(Number(deploy?.["timeout-minutes"])).toBeGreaterThan(30);
  for (const file of ["refresh.yml", "refresh-sharded.yml", "validate.yml"])
    expect(parseWorkflow(readWorkflow(file)).env).toMatchObject({ MIRRORFEED: "node dist/cli.js" });
});

/** Decodes a cell to what a reader of the summary sees. */
function decode(cell: string): string {
  return cell.replaceAll(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point)));
}
