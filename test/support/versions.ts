import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { everything } from "./folder.ts";
import { runInProcess } from "./in-process.ts";
import { networkAt } from "./mirrors-json.ts";
import { clock } from "./probing.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A folder after a run: the files of the site and `.mirrorfeed` by path, and the state. */
export interface Version {
  readonly site: Readonly<Record<string, string>>;
  readonly state: string | undefined;
}

export function versionOf(folder: string): Version {
  const [out, state] = [join(folder, "_site"), join(folder, ".mirrorfeed/state.json")];
  return {
    site: existsSync(out) ? everything(out) : {},
    state: existsSync(state) ? readFileSync(state, "utf8") : undefined,
  };
}

/** Writes a configuration with a mirror at each URL in each target. */
export function writeConfig(
  folder: string,
  name: string,
  targets: readonly string[],
  urls: readonly string[],
  probing: object = { timeout: "2s", attempts: 1 },
): void {
  const own = urls.map((url, mirror) => `${url}/${mirror}`);
  const networkOf = (index: number) => networkAt(own, 1 + index * urls.length);
  const configured = targets.map((target, index) => ({ target, network: networkOf(index) }));
  const systems = [{ system: "community", projects: [{ project: "jcb", targets: configured }] }];
  writeFileSync(join(folder, name), JSON.stringify({ systems, probe: { allowPrivate: true, ...probing } }));
}

/** Runs a command in this process, and returns the version it leaves. */
async function versionAfter(folder: string, ...parameters: readonly string[]): Promise<Version> {
  const { code, stderr } = await runInProcess(parameters, { folder, now: clock.now });
  expect(code, stderr).toBe(0);
  return versionOf(folder);
}

/** Probes a configuration's mirrors and writes the results next to it. */
export async function observeInto(folder: string, config: string, results: string): Promise<void> {
  await versionAfter(folder, "probe", "--config", config, "--results", results);
}

/** Observes two configurations, each with a mirror at each URL: one.json, and two.json with other targets. */
export async function observeTwo(folder: string, urls: readonly string[]): Promise<void> {
  writeConfig(folder, "one.json", ["packages", "search", "snippets"], urls);
  writeConfig(folder, "two.json", ["packages", "repositories", "search"], urls);
  for (const name of ["one", "two"]) await observeInto(folder, `${name}.json`, `${name}-results.json`);
}

/** Builds the site in this process. */
export function buildHere(folder: string, config: string, results: string): Promise<Version> {
  return versionAfter(folder, "build", "--config", config, "--results", results);
}

/** Builds the site of one.json in this process. */
export function buildFirst(folder: string): Promise<Version> {
  return buildHere(folder, "one.json", "one-results.json");
}

/** The command line of the second build in a folder, which the fault tests disturb. */
export const secondBuild = ["build", "--config", "two.json", "--results", "two-results.json"];

/** Runs `secondBuild` in this process. */
export function buildSecond(folder: string): Promise<Version> {
  return versionAfter(folder, ...secondBuild);
}

/** A folder, its version before the second build, and its version after an undisturbed one. */
export interface Start {
  readonly folder: string;
  readonly before: Version;
  readonly after: Version;
}

export async function startIn(folder: string): Promise<Start> {
  return { folder, before: versionOf(folder), after: await inCopyOf(folder, buildSecond) };
}

/** Runs `mirrorfeed run` in this process. */
export function runHere(folder: string, results?: string): Promise<Version> {
  return versionAfter(folder, "run", ...(results === undefined ? [] : ["--results", results]));
}

/** Calls `act` with a copy of a folder, then removes the copy. */
export async function inCopyOf<Result>(
  folder: string,
  act: (copy: string) => Result | Promise<Result>,
): Promise<Result> {
  const copy = temporaryFolder();
  try {
    cpSync(folder, copy, { recursive: true });
    return await act(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Throws unless all files and the state match one of these versions. */
export function expectLegal(folder: string, versions: readonly Version[]): void {
  const { site, state } = versionOf(folder);
  for (const [path, content] of Object.entries(site)) {
    if (path.startsWith(".mirrorfeed") || content === "/") continue;
    const isLegal = versions.some((version) => version.site[path] === content);
    if (!isLegal)
      throw new Error(`${path} is none of the ${versions.length} versions: ${content.slice(0, 200)}`);
  }
  if (!versions.some((version) => version.state === state))
    throw new Error(
      `The state is none of the ${versions.length} versions: ${state?.slice(0, 200) ?? "none"}`,
    );
}
