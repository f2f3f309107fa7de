import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { writeSite } from "../../src/site/write.ts";
import { contentOf, type SiteFile } from "../../src/base/files/site-file.ts";
import { type Command, measure, spread, type Usage } from "./pairs.ts";
import { scratchFolder } from "./scratch.ts";

/** The size of the site, how often it is published, and by which program (default: the built one). */
export interface PublishOptions {
  readonly files: number;
  readonly pairs: number;
  readonly program?: readonly string[];
}

/** mirrorfeed and a peer, in seconds: the medians, and the median of the ratios of each pair. */
export interface PublishRow {
  readonly what: string;
  readonly own: number;
  readonly peer: number;
  readonly ratio: number;
  readonly unit: "s";
}

const changedShare = 0.01;

/** The environment of Git without the user's configuration and without garbage collection in a measurement. */
const gitEnvironment = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "4",
  GIT_CONFIG_KEY_0: "gc.auto",
  GIT_CONFIG_VALUE_0: "0",
  GIT_CONFIG_KEY_1: "user.name",
  GIT_CONFIG_VALUE_1: "Another",
  GIT_CONFIG_KEY_2: "user.email",
  GIT_CONFIG_VALUE_2: "another@localhost",
  GIT_CONFIG_KEY_3: "receive.autogc",
  GIT_CONFIG_VALUE_3: "false",
};

const publishScript = "git add -A && git commit -qm 'The site' && git push -q";

/** Scripts that publish with Git alone: `$1` is the remote, `$2` the folder of the site or clone, `$3` a scratch one. */
const scripts = {
  first: `cd "$2" && git init -q -b gh-pages && git remote add origin "$1" && ${publishScript} -u origin gh-pages`,
  fresh: `git clone -q --depth 1 -b gh-pages "file://$1" "$3" && cp -r "$2/." "$3" && cd "$3" && ${publishScript}`,
  kept: `cd "$2" && ${publishScript}`,
};

/**
 * Publishes a site whose targets have the contract's three documents each, to a repository on the same disk: for the
 * first time, and with 1 % of its files changed. The peers are Git alone: as in CI, from a fresh clone of the branch,
 * and from a kept clone into which the changed files are copied before the measurement. Runs alternate. Returns wall
 * time and CPU time. Throws Error if the remotes have different trees afterwards.
 */
export async function publishRows({ files, pairs, program }: PublishOptions): Promise<PublishRow[]> {
  const folder = await scratchFolder();
  const own = ownIn(folder, program ?? [process.execPath, resolve("dist/cli.js")]);
  const first: Usage[][] = [];
  const changed: Usage[][] = [];
  try {
    while (first.length < pairs) {
      await prepare(folder, files);
      const peer = script("first", [remote(folder, "kept"), join(folder, "kept")]);
      first.push(await inTurns([own, peer], first.length));
      await compare(folder, ["own", "kept"]);
    }
    await git(["clone", "-q", "--bare", remote(folder, "kept"), remote(folder, "fresh")]);
    for (const place of [
      ...["own", "kept", "fresh"].map((name) => remote(folder, name)),
      join(folder, "kept"),
    ])
      await git(["-C", place, "gc", "-q", "--prune=now"]);
    while (changed.length < pairs) {
      await change(folder, files, changed.length + 1);
      const clone = join(folder, "clone");
      const fresh = script("fresh", [remote(folder, "fresh"), join(folder, "plain"), clone]);
      const kept = script("kept", [remote(folder, "kept"), join(folder, "kept")]);
      changed.push(await inTurns([own, fresh, kept], changed.length));
      await rm(clone, { recursive: true });
      await compare(folder, ["own", "fresh", "kept"]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const title = `publish ${files} files`;
  return [
    ...rows(`${title} for the first time, against \`git init, add, commit, push\``, first, 1),
    ...rows(`${title}, 1 % changed, against \`git clone, cp, git add, commit, push\``, changed, 1),
    ...rows(`${title}, 1 % changed, against \`git add, commit, push\` in a kept clone`, changed, 2),
  ];
}

/** The command of mirrorfeed; what it prints is one line. */
function ownIn(folder: string, [name = "", ...args]: readonly string[]): Command {
  const options = [
    "--out",
    join(folder, "site"),
    "--remote",
    remote(folder, "own"),
    "--config",
    join(folder, "x"),
    "--replace",
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

/** Creates the site, a copy without `.mirrorfeed`, and another copy for a clone. Publishes nothing. */
async function prepare(folder: string, files: number): Promise<void> {
  await rm(folder, { recursive: true });
  await mkdir(folder);
  const site = siteFiles(files, 0);
  writeSite(join(folder, "site"), site);
  for (const name of ["plain", "kept"]) {
    await cp(join(folder, "site"), join(folder, name), { recursive: true });
    await rm(join(folder, name, ".mirrorfeed"), { recursive: true });
  }
  for (const name of ["own", "kept"])
    await git(["init", "-q", "--bare", "-b", "gh-pages", remote(folder, name)]);
}

/** Changes the same files for all of them. */
async function change(folder: string, files: number, round: number): Promise<void> {
  const site = siteFiles(files, round);
  writeSite(join(folder, "site"), site);
  for (const file of site.filter((_, index) => isChanged(index))) {
    for (const name of ["plain", "kept"]) await writeFile(join(folder, name, file.path), contentOf(file));
  }
}

async function compare(folder: string, names: readonly string[]): Promise<void> {
  const trees = new Set<string>();
  for (const name of names)
    trees.add(await git(["-C", remote(folder, name), "rev-parse", "gh-pages^{tree}"]));
  if (trees.size !== 1) throw new Error(`The published trees differ: ${names.join(", ")}.`);
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
    own: spread(measured.map(([own]) => valueOf(own))).median,
    peer: spread(measured.map((usages) => valueOf(usages[peer]))).median,
    ratio: spread(measured.map((usages) => valueOf(usages[0]) / valueOf(usages[peer]))).median,
    unit: "s",
  });
  return [
    row("wall", (usage) => (usage?.wallMs ?? NaN) / 1000),
    row("CPU", (usage) => (usage?.cpuMs ?? NaN) / 1000),
  ];
}
