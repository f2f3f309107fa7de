import { execFile } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gitEnvironment } from "./git.ts";
import type { Job } from "./workflow.ts";

/** An artifact with its run. It outlives the attempt that uploaded it. */
export interface Artifact {
  readonly run: string;
  readonly name: string;
  readonly folder: string;
}

/** A substitute for GitHub on this machine: a repository, artifacts and deployments. */
export interface GitHub {
  /** The folder with everything. */
  readonly folder: string;
  /** A bare repository. */
  readonly origin: string;
  readonly token: string;
  /** The URL of the site, if Pages is enabled. */
  pagesUrl?: string;
  readonly artifacts: Artifact[];
  /** The folders that were deployed, the newest last. */
  readonly deployments: string[];
}

/** One use of an action. */
export interface ActionCall {
  readonly inputs: Readonly<Record<string, string>>;
  readonly job: Job;
  readonly run: string;
  /** The job's working copy. */
  readonly workspace: string;
}

type Action = (github: GitHub, call: ActionCall) => Promise<Record<string, string>> | Record<string, string>;

const run = promisify(execFile);

/** Substitutes for GitHub's actions, by their names. Each returns its outputs, and throws if it fails. */
export const actions: Readonly<Partial<Record<string, Action>>> = {
  "actions/checkout": async ({ origin }, { inputs, job, workspace }) => {
    need(job, "contents", ["read", "write"]);
    const depth = `--depth=${inputs["fetch-depth"] ?? "1"}`;
    await run("git", ["clone", "--quiet", depth, `file://${origin}`, workspace], { env: gitEnvironment });
    return {};
  },

  // The Node that runs the tests.
  "actions/setup-node": () => ({}),

  "actions/configure-pages": ({ pagesUrl }, { job }) => {
    need(job, "pages", ["read", "write"]);
    if (pagesUrl === undefined) throw new Error("Get Pages site failed.");
    return { base_url: pagesUrl };
  },

  "actions/upload-artifact": (github, { inputs, run: id, workspace }) => {
    const path = resolve(workspace, inputs["path"] ?? "");
    if (!existsSync(path)) throw new Error(`No files were found at ${path}.`);
    const folder = addArtifact(github, id, inputs["name"] ?? "artifact");
    cpSync(path, join(folder, basename(path)));
    return {};
  },

  "actions/download-artifact": ({ artifacts }, { inputs, run: id, workspace }) => {
    if (inputs["merge-multiple"] !== "true") throw new Error("Only merged downloads are known here.");
    const [start = "", end = ""] = (inputs["pattern"] ?? "*").split("*");
    const matching = artifacts.filter(
      ({ run: of, name }) => of === id && name.startsWith(start) && name.endsWith(end),
    );
    // The newest artifact of a name is the last one.
    for (const { folder } of matching)
      cpSync(folder, resolve(workspace, inputs["path"] ?? ""), { recursive: true });
    return {};
  },

  "actions/upload-pages-artifact": (github, { inputs, run: id, workspace }) => {
    const site = resolve(workspace, inputs["path"] ?? "_site");
    const folder = addArtifact(github, id, inputs["name"] ?? "github-pages");
    cpSync(site, folder, {
      recursive: true,
      filter: (path) => {
        if (lstatSync(path).isSymbolicLink()) throw new Error(`${path} is a link.`);
        return path === site || !basename(path).startsWith(".");
      },
    });
    return {};
  },

  "actions/deploy-pages": ({ folder, artifacts, deployments }, { inputs, job, run: id }) => {
    need(job, "pages", ["write"]);
    need(job, "id-token", ["write"]);
    const name = inputs["artifact_name"] ?? "github-pages";
    const [artifact, ...others] = artifacts.filter((one) => one.run === id && one.name === name);
    if (artifact === undefined) throw new Error(`No artifacts named "${name}" were found.`);
    if (others.length > 0) throw new Error(`Multiple artifacts named "${name}" were unexpectedly found.`);
    if (readdirSync(artifact.folder).length === 0) throw new Error("The artifact is empty.");
    const deployed = join(folder, "deployments", String(deployments.length));
    cpSync(artifact.folder, deployed, { recursive: true });
    deployments.push(deployed);
    return { page_url: `file://${deployed}/` };
  },
};

function addArtifact({ folder, artifacts }: GitHub, id: string, name: string): string {
  const artifact = { run: id, name, folder: join(folder, "artifacts", String(artifacts.length)) };
  mkdirSync(artifact.folder, { recursive: true });
  artifacts.push(artifact);
  return artifact.folder;
}

function need({ permissions }: Job, scope: string, levels: readonly string[]): void {
  if (!levels.includes(permissions[scope] ?? "none"))
    throw new Error(`Resource not accessible by integration: the job lacks ${scope}.`);
}
