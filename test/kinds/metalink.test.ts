import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { metalink } from "../../src/kinds/metalinks.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { isRoot } from "../support/server-process.ts";
import { hasFolderServer } from "../support/served-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { listOf, newFolder, runTool, startMirror, textAt } from "../support/tool-feed.ts";

const tools = ["dnf", "createrepo_c", "rpmbuild", "fakeroot"];
const hasDnf = hasFolderServer && tools.every((name) => findProgram(name) !== undefined);

describeWith("dnf, createrepo_c, rpmbuild and nginx", hasDnf, "dnf with the metalink of a feed", () => {
  test("installs with the best mirror dead and another one stale", async () => {
    const { folder, urls, mirrors } = await threeMirrors();
    const list = await listOf(urls, { kind: "rpm" }, "metalink");
    const text = await textAt(list);
    const repomd = readFileSync(join(folder, "source/a&b/repodata/repomd.xml"));
    expect(text).toContain(createHash("sha512").update(repomd).digest("hex"));
    expect([...text.matchAll(/>(http[^<]*)</g)].map(([, url]) => url?.replace("&amp;", "&"))).toEqual(
      urls.map((url) => `${url}repodata/repomd.xml`),
    );
    await mirrors[0]?.close();
    for (const url of [list, list.replace(/\.metalink$/, ".txt")]) {
      const { code, output } = await dnf(folder, url, "install", "example");
      expect(output).toContain("example-2-1.noarch");
      expect(code).toBe(0);
    }
  });

  test("passes over a mirror whose content is not that of the metalink", async () => {
    const { folder, urls } = await threeMirrors();
    const list = await listOf(urls, { kind: "rpm" }, "metalink");
    rmSync(join(folder, "source"), { recursive: true });
    cpSync(join(folder, "stale"), join(folder, "source"), { recursive: true });
    const { code, output } = await dnf(folder, list, "install", "example");
    expect(output).toContain("example-2-1.noarch");
    expect(code).toBe(0);
  });

  test("takes what the reference had lately from a mirror that is behind, and nothing else", async () => {
    const { folder, urls, mirrors } = await threeMirrors();
    const feed = temporaryFolder("mirrorfeed-feed-");
    const [source, fresh] = [join(folder, "source/a&b"), join(folder, "fresh/a&b")];
    const before = await textAt(await listOf(urls, { kind: "rpm" }, "metalink", feed));
    expect(before).not.toContain("alternate");
    rmSync(source, { recursive: true });
    await makeRepository(folder, "source", "3");
    const list = await listOf(urls, { kind: "rpm" }, "metalink", feed);
    expect(await textAt(list)).toContain("<mm0:alternate>");
    await mirrors[0]?.close();
    const behind = await dnf(folder, list, "install", "example");
    expect(behind.output).toContain("example-2-1.noarch");
    expect(behind.code).toBe(0);

    // The only mirror left now has what the reference never had.
    rmSync(fresh, { recursive: true });
    await makeRepository(folder, "fresh", "4");
    const foreign = await dnf(folder, list, "install", "example");
    expect(foreign.output).toMatch(/checksum doesn't match|Cannot download repomd\.xml/);
    expect(foreign.code).toBe(1);
  });

  test("takes a metalink without digests for a list of mirrors", async () => {
    const { folder, urls, mirrors } = await threeMirrors();
    const listed = urls.map((url) => ({ url, status: 1 as const, options: {} }));
    const [primary] = listed;
    if (primary === undefined) throw new Error("there is a mirror");
    mkdirSync(join(folder, "fresh/lists"));
    writeFileSync(
      join(folder, "fresh/lists/t.metalink"),
      metalink.render({ place: "s/p/t", mirrors: listed, primary }),
    );
    await mirrors[0]?.close();
    const { code, output } = await dnf(folder, `${mirrors[1]?.url}/lists/t.metalink`, "install", "example");
    expect(output).toContain("example-2-1.noarch");
    expect(code).toBe(0);
  });
});

/** Starts three mirrors: the source, a copy of it, and one that has an earlier version. */
async function threeMirrors() {
  const folder = temporaryFolder("mirrorfeed-dnf-");
  await makeRepository(folder, "stale", "1");
  await makeRepository(folder, "source", "2");
  cpSync(join(folder, "source"), join(folder, "fresh"), { recursive: true, preserveTimestamps: true });
  const roots = ["source", "fresh", "stale"].map((name) => join(folder, name));
  const mirrors = await Promise.all(roots.map(startMirror));
  return { folder, mirrors, urls: mirrors.map(({ url }) => `${url}/a&b/`) };
}

async function makeRepository(folder: string, name: string, version: string): Promise<void> {
  const root = join(folder, name, "a&b");
  const built = newFolder(folder, "rpmbuild");
  mkdirSync(root, { recursive: true });
  const spec = `Name: example\nVersion: ${version}\nRelease: 1\nSummary: An example\nLicense: MIT\nBuildArch: noarch\n%description\nAn example.\n%files\n`;
  writeFileSync(join(built, "example.spec"), spec);
  const defined = [`_topdir ${built}`, `_rpmdir ${root}`].flatMap((text) => ["--define", text]);
  await must("rpmbuild", ["-bb", ...defined, "example.spec"], built);
  await must("createrepo_c", ["--quiet", root], built);
}

async function must(tool: string, parameters: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runTool(tool, parameters, { cwd });
  if (code !== 0) throw new Error(output);
}

/** Runs dnf with an installation of its own, and a repository from a metalink or a list of URLs. */
async function dnf(folder: string, list: string, ...parameters: string[]) {
  const root = newFolder(folder, "root");
  writeFileSync(
    join(root, "dnf.conf"),
    `[main]
reposdir=${root}/none
cachedir=${root}/cache
logdir=${root}/log
persistdir=${root}/persist
pluginpath=${root}/none
gpgcheck=0
metadata_timer_sync=0
[example]
name=Example
${list.endsWith(".txt") ? "mirrorlist" : "metalink"}=${list}
`,
  );
  const all = [
    "-y",
    "--config",
    join(root, "dnf.conf"),
    "--installroot",
    root,
    "--releasever=1",
    ...parameters,
  ];
  return isRoot ? runTool("dnf", all, { cwd: root }) : runTool("fakeroot", ["dnf", ...all], { cwd: root });
}
