import { hash, randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AptWorkshop, hasAptTools } from "../../support/apt-archive.ts";
import { hasPacmanTools, PacmanWorkshop } from "../../support/pacman-mirror.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { hasFolderServer } from "../../support/served-folder.ts";
import { isRoot } from "../../support/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type Ended, listOf, newFolder, runTool, startMirror, textAt } from "../../support/tool-feed.ts";

/** The path of each mirror's content, with an ampersand, which is legal in a path. */
const below = "a&b";

/** Serves mirrors: by default the source, a copy of it, and a mirror with an earlier version. */
async function serveMirrors(folder: string, path = `${below}/`, names = ["source", "fresh", "stale"]) {
  const roots = names.map((name) => join(folder, name));
  const servers = await Promise.all(roots.map(startMirror));
  const urls = servers.map(({ url }) => `${url}/${path}`);
  return { servers, urls, hosts: urls.map((url) => new URL(url).host) };
}

function runAsRoot(tool: string, parameters: readonly string[], cwd: string): Promise<Ended> {
  return isRoot ? runTool(tool, parameters, { cwd }) : runTool("fakeroot", [tool, ...parameters], { cwd });
}

async function must(tool: string, parameters: readonly string[], cwd: string, env?: NodeJS.ProcessEnv) {
  const { code, output } = await runTool(tool, parameters, { cwd, ...(env && { env }) });
  if (code !== 0) throw new Error(output);
  return output.trim();
}

describeWith("reprepro, apt and nginx", hasAptTools && hasFolderServer, "apt with the list of a feed", () => {
  test("downloads with the best mirror dead and another one stale, in the order of the list", async () => {
    const folder = temporaryFolder();
    const workshop = new AptWorkshop(folder);
    workshop.add(`stale/${below}`, "one");
    workshop.add(`source/${below}`, "one", "two");
    workshop.copy("source", "fresh");
    const { servers, urls, hosts } = await serveMirrors(folder);
    const [best = "", second = "", stale = ""] = hosts;
    const list = await listOf(urls, { kind: "apt", apt: { suite: "example" } }, "list");
    expect((await textAt(list)).split("\n").slice(1, -1)).toEqual(
      urls.map((url, place) => `${url}\tpriority:${place + 1}`),
    );
    const download = () => workshop.apt(`mirror+${list}`, "download", "two");
    const well = await download();
    // Because of the priorities, apt asks only the first mirror.
    expect(well.output).toMatch(new RegExp(`^Get:\\d+ http://${best}`, "m"));
    expect(well.output).not.toContain(second);
    rmSync(join(folder, "source", below, "pool"), { recursive: true });
    const partial = await download();
    await servers[0]?.close();
    const dead = await download();
    for (const { output } of [partial, dead]) expect(output).toContain(second);
    expect(dead.output).not.toContain(stale);
    expect([well.code, partial.code, dead.code]).toEqual([0, 0, 0]);
    expect(readdirSync(join(folder, "apt/work"))).toEqual(["two_1.0+b1_amd64.deb"]);
  });

  test("uses no expired, incomplete or dead mirror while a good one is left, and reads the comment", async () => {
    const folder = temporaryFolder();
    const workshop = new AptWorkshop(folder);
    workshop.add(`dead/${below}`, "one", "two");
    for (const name of ["expired", "partial", "fresh"]) workshop.copy("dead", name);
    workshop.setBack(`expired/${below}`, 30 * 24 * 3_600_000);
    rmSync(join(folder, "partial", below, "pool"), { recursive: true });
    const names = ["dead", "expired", "partial", "fresh"];
    const { servers, urls, hosts } = await serveMirrors(folder, undefined, names);
    const feed = temporaryFolder();
    const listNow = () => listOf(urls, { kind: "apt", apt: { suite: "example" } }, "list", feed);
    // The first run reads the primary's package list, and the second notices that `partial` lacks a file.
    await listNow();
    await listNow();
    await servers[0]?.close();
    const list = await listNow();
    const order = orderIn(await textAt(list), hosts);
    expect([order[0], order.at(-1)]).toEqual(["fresh", "dead"].map((name) => names.indexOf(name)));
    const good = await workshop.apt(`mirror+${list}`, "download", "two");
    expect(good.code).toBe(0);
    for (const host of hosts.slice(0, 3)) expect(good.output).not.toContain(host);

    await servers[3]?.close();
    const poor = await listNow();
    const text = await textAt(poor);
    expect(text).toMatch(
      /^# Out of date .* Warning: every mirror has a problem \(2 wrong, 2 offline\)\.\nhttp/,
    );
    // apt reads the mirrors below the comment, but none has the file.
    const rest = await workshop.apt(`mirror+${poor}`, "download", "two");
    expect(rest.output).toContain(`http://${hosts[orderIn(text, hosts)[0] ?? 0]}`);
    expect(rest.code).not.toBe(0);
  });
});

/** Returns the indexes of these hosts in the order in which a list names them. */
function orderIn(list: string, hosts: readonly string[]): number[] {
  return [...list.matchAll(/http:\/\/([\d.:]+)/g)].map(([, host = ""]) => hosts.indexOf(host));
}

const pacmanNeeds = hasPacmanTools && hasFolderServer;
describeWith("pacman, repo-add and nginx", pacmanNeeds, "pacman with the list of a feed", () => {
  test("installs with the best mirror dead and another one stale", async () => {
    const folder = temporaryFolder();
    const workshop = new PacmanWorkshop(folder);
    workshop.add(`stale/${below}`, new Date("2026-03-01"), "one");
    workshop.add(`source/${below}`, new Date("2026-03-08"), "one", "two");
    workshop.copy("source", "fresh");
    const { servers, urls } = await serveMirrors(folder);
    const list = await textAt(await listOf(urls, { kind: "pacman" }, "conf"));
    expect(list.split("\n").slice(1, -1)).toEqual(urls.map((url) => `Server = ${url}$repo/os/$arch`));
    const pacman = pacmanOf(folder);
    await servers[0]?.close();
    const { code, output } = await pacman(list, "-Sy", "--noconfirm", "--noprogressbar", "two");
    expect(output).toContain("core.db' from 127.0.0.2");
    expect(code).toBe(0);
    expect((await pacman(list, "-Q")).output).toBe("two 1:2.0+a-1\n");
  });

  /** Returns a pacman with its own installation, which reads its mirrors from a list. */
  function pacmanOf(folder: string) {
    const folders = ["RootDir", "DBPath", "CacheDir", "HookDir", "GPGDir"];
    for (const name of folders) mkdirSync(join(folder, name));
    const settings = [...folders, "LogFile"].map((name) => `${name} = ${join(folder, name)}\n`).join("");
    const config = `[options]\n${settings}Architecture = x86_64\nSigLevel = Never\n[core]\nInclude = ${join(folder, "mirrorlist")}\n`;
    writeFileSync(join(folder, "pacman.conf"), config);
    return (list: string, ...parameters: string[]) => {
      writeFileSync(join(folder, "mirrorlist"), list);
      return runAsRoot("pacman", ["--config", join(folder, "pacman.conf"), ...parameters], folder);
    };
  }
});

const hasAria = hasFolderServer && findProgram("aria2c") !== undefined;
describeWith("aria2 and nginx", hasAria, "aria2 with the metalink of a file", () => {
  test("downloads with the best mirror dead and another one stale, and refuses a tampered file", async () => {
    const folder = temporaryFolder();
    const path = `${below}/it's "big".iso`;
    const content = randomBytes(5_000_000);
    for (const name of ["source", "fresh", "stale"]) {
      mkdirSync(join(folder, name, below), { recursive: true });
      writeFileSync(join(folder, name, path), name === "stale" ? randomBytes(5_000_000) : content);
    }
    const { servers, urls } = await serveMirrors(folder, `${below}/it's%20%22big%22.iso`);
    const probe = { kind: "http", http: { content: { sha256: "reference" } }, maxBytes: 8_000_000 };
    const list = await listOf(urls, probe, "meta4");
    expect(await textAt(list)).toContain(`<hash type="sha-256">${hash("sha256", content)}</hash>`);
    await servers[0]?.close();
    // Makes aria2 download parts of the file from several mirrors at once, as it does by default above 20 MB.
    const parallel = ["--split=5", "--min-split-size=1M"];
    const download = async (name: string) => {
      const cwd = newFolder(folder, name);
      const parameters = ["--no-conf", "--max-tries=1", ...parallel, `--dir=${cwd}`, list];
      return { ...(await runTool("aria2c", parameters, { cwd })), file: join(cwd, "t") };
    };
    const good = await download("good");
    expect(good.output).toContain("(OK):download completed");
    expect(good.code).toBe(0);
    expect(readFileSync(good.file).equals(content)).toBe(true);
    const tampered = Buffer.from(content);
    tampered.writeUInt8(tampered.readUInt8(9) ^ 1, 9);
    writeFileSync(join(folder, "fresh", path), tampered);
    const bad = await download("bad");
    expect(bad.output).toMatch(/checksum/i);
    expect(bad.code).not.toBe(0);
  });
});

const dnfTools = ["dnf", "createrepo_c", "rpmbuild", "fakeroot"];
const hasDnf = hasFolderServer && dnfTools.every((name) => findProgram(name) !== undefined);
describeWith("dnf, createrepo_c, rpmbuild and nginx", hasDnf, "dnf with the metalink of a feed", () => {
  const installed = { output: expect.stringContaining("example-2-1.noarch"), code: 0 };

  test("installs with the best mirror dead and another one stale", async () => {
    const { folder, urls, servers } = await serveRepositories();
    const list = await listOf(urls, { kind: "rpm" }, "metalink");
    const text = await textAt(list);
    const repomd = readFileSync(join(folder, "source", below, "repodata/repomd.xml"));
    expect(text).toContain(hash("sha512", repomd));
    expect([...text.matchAll(/>(http[^<]*)</g)].map(([, url]) => url?.replace("&amp;", "&"))).toEqual(
      urls.map((url) => `${url}repodata/repomd.xml`),
    );
    await servers[0]?.close();
    for (const url of [list, list.replace(/\.metalink$/, ".txt")])
      expect(await install(folder, url)).toMatchObject(installed);
  });

  test("accepts the reference's recent content from a mirror that is behind, and nothing else", async () => {
    const { folder, urls, servers } = await serveRepositories();
    const feed = temporaryFolder();
    const listNow = () => listOf(urls, { kind: "rpm" }, "metalink", feed);
    expect(await textAt(await listNow())).not.toContain("alternate");
    rmSync(join(folder, "source"), { recursive: true });
    await makeRepository(folder, "source", "3");
    const list = await listNow();
    expect(await textAt(list)).toContain("<mm0:alternate>");
    await servers[0]?.close();
    expect(await install(folder, list)).toMatchObject(installed);
    // Now no mirror that is up has any content that the reference ever had.
    rmSync(join(folder, "fresh", below), { recursive: true });
    await makeRepository(folder, "fresh", "4");
    const foreign = await install(folder, list);
    expect(foreign.output).toMatch(/checksum doesn't match|Cannot download repomd\.xml/);
    expect(foreign.code).toBe(1);
  });

  async function serveRepositories() {
    const folder = temporaryFolder();
    await makeRepository(folder, "stale", "1");
    await makeRepository(folder, "source", "2");
    cpSync(join(folder, "source"), join(folder, "fresh"), { recursive: true, preserveTimestamps: true });
    return { folder, ...(await serveMirrors(folder)) };
  }

  async function makeRepository(folder: string, name: string, version: string): Promise<void> {
    const root = join(folder, name, below);
    const built = newFolder(folder, "rpmbuild");
    mkdirSync(root, { recursive: true });
    const spec = `Name: example\nVersion: ${version}\nRelease: 1\nSummary: An example\nLicense: MIT\nBuildArch: noarch\n%description\nAn example.\n%files\n`;
    writeFileSync(join(built, "example.spec"), spec);
    const defined = [`_topdir ${built}`, `_rpmdir ${root}`].flatMap((text) => ["--define", text]);
    await must("rpmbuild", ["-bb", ...defined, "example.spec"], built);
    await must("createrepo_c", ["--quiet", root], built);
  }

  /** Installs the example with a separate dnf installation, whose repository uses a metalink or a list of URLs. */
  function install(folder: string, list: string): Promise<Ended> {
    const root = newFolder(folder, "root");
    const folders = ["reposdir", "cachedir", "logdir", "persistdir", "pluginpath"];
    const settings = folders.map((name) => `${name}=${root}/${name}\n`).join("");
    const option = list.endsWith(".txt") ? "mirrorlist" : "metalink";
    const config = `[main]\n${settings}gpgcheck=0\nmetadata_timer_sync=0\n[example]\nname=Example\n${option}=${list}\n`;
    writeFileSync(join(root, "dnf.conf"), config);
    const options = ["-y", "--config", join(root, "dnf.conf"), "--installroot", root, "--releasever=1"];
    return runAsRoot("dnf", [...options, "install", "example"], root);
  }
});
