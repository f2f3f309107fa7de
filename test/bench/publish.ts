import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { writeSite } from "../../src/site/write.ts";
import type { SiteFile } from "../../src/files/site-file.ts";
import { type Command, measure, spread, type Usage } from "./pairs.ts";
import { scratchFolder } from "./scratch.ts";

/** How large the site is, how often it is published, and by which program; ours is the one that `npm run build` made. */
export interface PublishOptions {
  readonly files: number;
  readonly pairs: number;
  readonly program?: readonly string[];
}

/** Ours beside a peer's, in seconds: the medians, and the median of the ratios of each pair. */
export interface PublishRow {
  readonly what: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  readonly unit: "s";
}

const changedShare = 0.01;

/** A git that knows nothing of the user, and does not tidy up in the middle of a measurement. */
const gitEnvironment = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "4",
  GIT_CONFIG_KEY_0: "gc.auto",
  GIT_CONFIG_VALUE_0: "0",
  GIT_CONFIG_KEY_1: "user.name",
  GIT_CONFIG_VALUE_1: "Somebody",
  GIT_CONFIG_KEY_2: "user.email",
  GIT_CONFIG_VALUE_2: "somebody@localhost",
  GIT_CONFIG_KEY_3: "receive.autogc",
  GIT_CONFIG_VALUE_3: "false",
};

const publishScript = "git add -A && git commit -qm 'The site' && git push -q";

/** How git alone publishes: `$1` is the remote, `$2` the folder of the site or of the clone, `$3` one to work in. */
const scripts = {
  first: `cd "$2" && git init -q -b gh-pages && git remote add origin "$1" && ${publishScript} -u origin gh-pages`,
  fresh: `git clone -q --depth 1 -b gh-pages "file://$1" "$3" && cp -r "$2/." "$3" && cd "$3" && ${publishScript}`,
  kept: `cd "$2" && ${publishScript}`,
};

/**
 * Publishes a site whose targets have the contract's three documents each, to a repository on the same disk: for the
 * first time, and with 1 % of its files changed. The peers are git alone: as CI does it, from a fresh clone of the
 * branch, and from a clone that is kept, and has the changed files laid into it before the clock starts. Taken in
 * turns, wall time and CPU time. Throws Error where the remotes do not hold the same tree afterwards.
 */
export async function publishRows({ files, pairs, program }: PublishOptions): Promise<PublishRow[]> {
  const folder = await scratchFolder();
  const ours = oursIn(folder, program ?? [process.execPath, resolve("dist/cli.js")]);
  const first: Usage[][] = [];
  const changed: Usage[][] = [];
  try {
    while (first.length < pairs) {
      await prepare(folder, files);
      const peer = script("first", [remote(folder, "kept"), join(folder, "kept")]);
      first.push(await inTurns([ours, peer], first.length));
      await compare(folder, ["ours", "kept"]);
    }
    await git(["clone", "-q", "--bare", remote(folder, "kept"), remote(folder, "fresh")]);
    for (const place of [
      ...["ours", "kept", "fresh"].map((name) => remote(folder, name)),
      join(folder, "kept"),
    ])
      await git(["-C", place, "gc", "-q", "--prune=now"]);
    while (changed.length < pairs) {
      await change(folder, files, changed.length + 1);
      const clone = join(folder, "clone");
      const fresh = script("fresh", [remote(folder, "fresh"), join(folder, "plain"), clone]);
      const kept = script("kept", [remote(folder, "kept"), join(folder, "kept")]);
      changed.push(await inTurns([ours, fresh, kept], changed.length));
      await rm(clone, { recursive: true });
      await compare(folder, ["ours", "fresh", "kept"]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const title = `publish ${files} files`;
  return [
    ...rows(`${title} for the first time, against git init, add, commit, push`, first, 1),
    ...rows(`${title}, 1 % changed, against git clone, cp, git add, commit, push`, changed, 1),
    ...rows(`${title}, 1 % changed, against git add, commit, push in a kept clone`, changed, 2),
  ];
}

/** The command of mirrorfeed; what it prints is one line. */
function oursIn(folder: string, [name = "", ...args]: readonly string[]): Command {
  const options = [
    "--out",
    join(folder, "site"),
    "--remote",
    remote(folder, "ours"),
    "--config",
    join(folder, "x"),
  ];
  return { program: name, args: [...args, "publish", ...options], environment: gitEnvironment };
}

function script(name: keyof typeof scripts, args: readonly string[]): Command {
  return { program: "sh", args: ["-ec", scripts[name], name, ...args], environment: gitEnvironment };
}

function remote(folder: string, name: string): string {
  return join(folder, `${name}.git`);
}

async function git(args: readonly string[]): Promise<string> {
  return (await measure({ program: "git", args, environment: gitEnvironment })).output;
}

/** Each in turn, and another one first in each round; gives them in their own order. */
async function inTurns(commands: readonly Command[], round: number): Promise<Usage[]> {
  const usages: Usage[] = [];
  for (let index = 0; index < commands.length; index += 1) {
    const turn = (index + round) % commands.length;
    const command = commands[turn];
    if (command !== undefined) usages[turn] = await measure(command);
  }
  return usages;
}

/** Nothing is published: the site, a copy without what is mirrorfeed's own, another one that git is to make a clone of. */
async function prepare(folder: string, files: number): Promise<void> {
  await rm(folder, { recursive: true });
  await mkdir(folder);
  const site = siteFiles(files, 0);
  writeSite(join(folder, "site"), site);
  for (const name of ["plain", "kept"]) {
    await cp(join(folder, "site"), join(folder, name), { recursive: true });
    await rm(join(folder, name, ".mirrorfeed"), { recursive: true });
  }
  for (const name of ["ours", "kept"])
    await git(["init", "-q", "--bare", "-b", "gh-pages", remote(folder, name)]);
}

/** Changes the same files for all of them. */
async function change(folder: string, files: number, round: number): Promise<void> {
  const site = siteFiles(files, round);
  writeSite(join(folder, "site"), site);
  for (const { path, content } of site.filter((_, index) => isChanged(index))) {
    for (const name of ["plain", "kept"]) await writeFile(join(folder, name, path), content);
  }
}

async function compare(folder: string, names: readonly string[]): Promise<void> {
  const trees = new Set<string>();
  for (const name of names)
    trees.add(await git(["-C", remote(folder, name), "rev-parse", "gh-pages^{tree}"]));
  if (trees.size !== 1) throw new Error(`Not everybody published the same: ${names.join(", ")}.`);
}

function isChanged(index: number): boolean {
  return index % Math.round(1 / changedShare) === 1;
}

/** The documents of so many targets; those that change hold another number in each round. */
function siteFiles(count: number, round: number): SiteFile[] {
  const files: SiteFile[] = [{ path: ".nojekyll", content: "" }];
  for (let index = 1; index < count; index += 1) {
    const target = `target-${Math.floor(index / 3)}`;
    const place = ["", "0/", "1/"][index % 3] ?? "";
    const network = [1, 2, 3, 4].map((number) => ({
      id: index * 4 + number,
      name: `mirror${number}.example/organisation/${target}`,
      url: `https://mirror${number}.example/organisation/${target}`,
      status: isChanged(index) ? (round + number) % 2 : 1,
    }));
    const path = `v1/network/community/project/${target}/${place}index.json`;
    const content = `${JSON.stringify({ target, round: isChanged(index) ? round : 0, network })}\n`;
    files.push({ path, content });
  }
  return files;
}

function rows(what: string, measured: readonly Usage[][], peer: number): PublishRow[] {
  const row = (unit: string, valueOf: (usage: Usage | undefined) => number): PublishRow => ({
    what: `${what} (${unit})`,
    ours: spread(measured.map(([ours]) => valueOf(ours))).median,
    peer: spread(measured.map((usages) => valueOf(usages[peer]))).median,
    ratio: spread(measured.map((usages) => valueOf(usages[0]) / valueOf(usages[peer]))).median,
    unit: "s",
  });
  return [
    row("wall", (usage) => (usage?.wallMs ?? NaN) / 1000),
    row("CPU", (usage) => (usage?.cpuMs ?? NaN) / 1000),
  ];
}
