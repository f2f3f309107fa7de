import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execPath } from "node:process";
import { expect, test } from "vitest";
import { product } from "../../../src/core/base/files/package.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { startChild } from "../../support/child.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { put } from "../../support/folder.ts";
import { git } from "../../support/git.ts";
import {
  commitAll,
  createRepository,
  type Repository,
  stateBranch,
  statusesIn,
  token,
} from "../../support/github.ts";
import { startJob } from "../../support/job.ts";
import { target } from "../../support/one-target.ts";
import { createSource, readyToPublish } from "../../support/release.ts";
import { describeWith } from "../../support/requirement.ts";
import { startServer } from "../../support/server-process.ts";
import { editSource } from "../../support/source-copy.ts";
import { startSwitchedMirror } from "../../support/switched-mirror.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { parseWorkflow } from "../../support/workflow.ts";
import { areInstalled, enginesFolder } from "../hosts/installed-engine.ts";

const [first, second] = [product.version, "99.0.0"];

/** Starts a registry that accepts packages from anyone and knows no other registry. */
async function startRegistry() {
  const folder = temporaryFolder();
  const config = join(folder, "config.yaml");
  const access = { access: "$all", publish: "$all" };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ storage: join(folder, "storage"), packages: { "**": access } }));
  const program = join(enginesFolder, "node_modules/verdaccio/bin/verdaccio");
  const parameters = (port: number) => [program, "--config", config, "--listen", `127.0.0.1:${port}`];
  return closeAfterTest(await startServer(execPath, parameters, folder));
}

/** Runs a program that must succeed. Returns what it printed. */
async function execute(program: string, parameters: readonly string[], folder: string, environment = {}) {
  const { code, stdout, stderr } = await startChild(program, parameters, { folder, environment }).ending;
  expect(code, `${stdout}${stderr}`).toBe(0);
  return stdout;
}

type Texts = Readonly<Record<string, string>>;
type Execute = (program: string, parameters: readonly string[], folder: string) => Promise<string>;

const contributing = readFileSync(".github/CONTRIBUTING.md", "utf8");
/** The commands of CONTRIBUTING.md, "Releases", in order: those of the candidate, and that of each release. */
const [nameCandidate = "", publishCandidate = "", nameRelease = ""] = [
  ...contributing.matchAll(/`(npm (?:version|publish) [^`]*)`/g),
].map(([, command = ""]) => command);

const versioned = (command: string, version: string): readonly string[] =>
  command.replace("X.Y.Z", version).split(" ").slice(1);

/** Publishes a candidate by hand, because npm trusts workflows only for packages that exist. */
async function publishCandidateOf(source: Repository, version: string, run: Execute): Promise<void> {
  const checkout = join(temporaryFolder(), "checkout");
  await git(["clone", "--quiet", source.origin, checkout]);
  symlinkSync(resolve("node_modules"), join(checkout, "node_modules"));
  await run("npm", versioned(nameCandidate, version), checkout);
  await run("npm", versioned(publishCandidate, version), checkout);
}

/** Releases a version, without the provenance that only GitHub can give. */
async function release(source: Repository, version: string, notes: string, run: Execute): Promise<void> {
  const author = join(source.folder, "author");
  put(author, { "CHANGELOG.md": `# Changelog\n\n## [${version}] - 2026-12-24\n\n${notes}\n` });
  await run("npm", versioned(nameRelease, version), author);
  await commitAll(source, `Release ${version}`);
  await git(["--git-dir", source.origin, "tag", `v${version}`]);
  const { workspace } = await readyToPublish(source, `v${version}`);
  await run("npm", ["publish", "--access", "public"], workspace);
}

/** Makes a feed in an empty folder, as a person does, and a repository with its files. */
async function initialize(urls: readonly string[], run: Execute): Promise<Repository> {
  const folder = join(temporaryFolder(), "feed");
  mkdirSync(folder);
  const [system = "", project = "", name = ""] = target.split("/");
  const answers = ["--system", system, "--project", project, "--target", name, "--yes", "--allow-private"];
  const mirrors = urls.flatMap((url) => ["--mirror", url]);
  await run("npx", ["--yes", `mirrorfeed@${first}`, "init", ...answers, ...mirrors], folder);
  const repository = await createRepository(readFileSync(join(folder, "mirrors.json"), "utf8"));
  cpSync(folder, join(repository.folder, "author"), { recursive: true });
  await commitAll(repository, "A feed");
  return repository;
}

/** Runs a job's scripts in order. Returns what the first failure says, and otherwise what all of them do. */
async function runJob(repository: Repository, file: string, id: string, variables: Texts) {
  const text = readFileSync(join(repository.folder, "author/.github/workflows", file), "utf8");
  const values = { "secrets.GITHUB_TOKEN": token };
  const job = await startJob(repository, parseWorkflow(text), id, { values, variables });
  let output = "";
  for (const name of job.scripts) {
    const outcome = await job.run(name);
    output += outcome.output;
    if (outcome.result === "failure") return { ...job, result: outcome.result, output };
  }
  return { ...job, result: "success", output };
}

/** Makes the feed's workflows run another version. */
async function pin(repository: Repository, from: string, to: string): Promise<void> {
  const author = join(repository.folder, "author");
  for (const file of ["refresh.yml", "validate.yml"]) {
    const path = join(author, ".github/workflows", file);
    const parts = readFileSync(path, "utf8").split(`MIRRORFEED: "npx --yes mirrorfeed@${from}"`);
    expect(parts).toHaveLength(2);
    writeFileSync(path, parts.join(`MIRRORFEED: "npx --yes mirrorfeed@${to}"`));
  }
  await commitAll(repository, `Update to mirrorfeed ${to}`);
}

/** Replaces the stored state by one that a later version would write. */
async function storeLaterState({ origin }: Repository): Promise<void> {
  const at = (parameters: readonly string[], input?: string) =>
    git(["--git-dir", origin, "-c", "user.name=a", "-c", "user.email=a@example.org", ...parameters], input);
  const state = await at(["show", "mirrorfeed-state:state.json"]);
  const blob = await at(["hash-object", "-w", "--stdin"], state.replace('"schema":1', '"schema":2'));
  const tree = await at(["mktree"], `100644 blob ${blob}\tstate.json\n`);
  await at(["update-ref", "refs/heads/mirrorfeed-state", await at(["commit-tree", "-m", "Later", tree])]);
}

describeWith("verdaccio, see .ci/install-engines", areInstalled("verdaccio"), "a package", () => {
  test("is released, makes a feed, and updates it to the next release", async () => {
    const registry = await startRegistry();
    const npm = { npm_config_registry: registry.url, npm_config_cache: temporaryFolder() };
    const login = `--//${new URL(registry.url).host}/:_authToken=x`;
    const run: Execute = (program, parameters, folder) =>
      execute(program, program === "npm" ? [...parameters, login] : parameters, folder, npm);
    const source = await createSource("");
    await publishCandidateOf(source, first, run);
    await release(source, first, "- The first release.", run);

    const steady = closeAfterTest(await startSwitchedMirror());
    const failing = closeAfterTest(await startSwitchedMirror());
    const feed = await initialize([`${steady.url}/a`, `${failing.url}/a`], run);
    const refresh = async (runId: string) =>
      runJob(feed, "refresh.yml", "refresh", { ...npm, GITHUB_RUN_ID: runId, GITHUB_RUN_ATTEMPT: "1" });
    const refreshed = async (runId: string, version: string): Promise<string> => {
      const { result, output, workspace } = await refresh(runId);
      expect(result, output).toBe("success");
      expect(output).toContain(`${version}\n`);
      return join(workspace, "_site");
    };
    expect(statusesIn(await refreshed("100", first), target)).toEqual({ 1: 1, 2: 1 });

    // The next release writes one more field. A feed stays with its version until a person updates it.
    const author = join(source.folder, "author");
    editSource(author, "core/site/report.ts", "...run,\n", "...run,\n    later: true,\n");
    await release(source, second, "- The second release.", run);
    failing.isDown = true;
    expect(statusesIn(await refreshed("101", first), target)).toEqual({ 1: 1, 2: 0 });
    await pin(feed, first, second);
    failing.isDown = false;
    const site = await refreshed("102", second);
    expect(await runJob(feed, "validate.yml", "validate", npm)).toMatchObject({ result: "success" });

    // History goes on, and programs of the first release read what the second one has written.
    expect((await stateBranch(feed)).runs).toEqual(["100.1", "101.1", "102.1"]);
    const document = (path: string): unknown =>
      JSON.parse(readFileSync(join(site, path, "index.json"), "utf8"));
    expect(document("v1/report")).toMatchObject({ later: true, totals: { online: 2 } });
    expect(document(`v1/report/${target}`)).toMatchObject({
      network: [{ transitions: [] }, { transitions: [{ status: 1 }, { status: 0 }] }],
    });
    const served = closeAfterTest(await serveSite(site, { port: 0 }));
    const client = (command: string) =>
      run("npx", ["--yes", `mirrorfeed@${first}`, command, served.url, target], site);
    expect(await client("pick")).toContain(`${steady.url}/a`);
    expect(await client("check")).toContain("2 mirrors");
    const importing = temporaryFolder();
    await run("npm", ["install", `mirrorfeed@${first}`], importing);
    put(importing, {
      "pick.mjs": `import { pick } from "mirrorfeed/client";
        console.log((await pick("${served.url}/", "${target}")).outcome);`,
    });
    expect(await run("node", ["pick.mjs"], importing)).toBe("reachable\n");

    await storeLaterState(feed);
    const before = await stateBranch(feed);
    const refused = await refresh("103");
    expect(refused.result).toBe("failure");
    expect(refused.output).toContain(
      "was written by a newer version of mirrorfeed (schema 2, not 1); use that version",
    );
    expect(await stateBranch(feed)).toEqual(before);
  });
});
