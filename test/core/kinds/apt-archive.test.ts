import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Engine } from "../../features/hosts/engine.ts";
import { hasNginx } from "../../features/hosts/nginx-process.ts";
import { AptWorkshop, hasAptTools, releaseFolder } from "../../support/apt-archive.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { damages, type ReportedMirror, runFeed, writeFeed } from "../../support/mirror-feed.ts";
import { describeWith } from "../../support/requirement.ts";
import { serveFolder } from "../../support/served-folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const hourMs = 3_600_000;
/** The status, code, freshness and content code of each mirror. */
const expected = {
  source: "1 ok in_sync",
  fresh: "1 ok in_sync",
  behind: "1 ok behind",
  frozen: "1 ok behind expired",
  partial: "1 ok differs missing_file",
  clipped: "1 ok differs wrong_size",
  parked: "0 not_apt unknown",
  gone: "0 http_status unknown",
};

type Mirror = keyof typeof expected;

const mirrors = Object.keys(expected) as Mirror[];

describeWith(
  "reprepro, apt and nginx",
  hasAptTools && hasNginx,
  "an apt archive, copied at different ages and damaged",
  () => {
    const folder = temporaryFolder();
    let workshop: AptWorkshop;
    let server: Engine;
    let found: Readonly<Record<Mirror, ReportedMirror>>;

    const feed = (names: readonly string[], options: object = {}): Promise<ReportedMirror[]> => {
      const urls = names.map((name) => `${server.url}/${name}/`);
      writeFeed(folder, urls, { kind: "apt", apt: { suite: "example", ...options } });
      return runFeed(folder);
    };

    beforeAll(async () => {
      mkdirSync(join(folder, "root"));
      workshop = new AptWorkshop(join(folder, "root"));
      workshop.add("old", "one", "two");
      workshop.copy("old", "behind");
      workshop.setBack("behind", 30 * hourMs);
      workshop.copy("old", "frozen");
      workshop.setBack("frozen", 30 * 24 * hourMs);
      workshop.copy("old", "source");
      workshop.add("source", "three");
      workshop.copy("source", "fresh");
      workshop.copy("source", "partial");
      rmSync(join(workshop.folder, "partial/pool"), { recursive: true });
      workshop.copy("source", "clipped");
      const pool = join(workshop.folder, "clipped/pool");
      for (const path of readdirSync(pool, { recursive: true, encoding: "utf8" }))
        if (path.endsWith(".deb")) writeFileSync(join(pool, path), "cut off");
      server = closeAfterFile(await serveFolder(workshop.folder));
    });

    test("each damage has its own code, as evidence of two runs", async () => {
      expect(damages(["source"], await feed(["source"]))).toEqual({ source: "1 ok in_sync" });
      await feed(mirrors);
      const nodes = await feed(mirrors);
      found = Object.fromEntries(mirrors.map((name, index) => [name, nodes[index]])) as typeof found;
      expect(damages(mirrors, nodes)).toEqual(expected);
      expect([found.fresh.revision, found.partial.revision]).toEqual(Array(2).fill(found.source.revision));
    });

    test("if the primary has expired, too, as in a snapshot, only the target is told", async () => {
      workshop.copy("source", "snapshot");
      workshop.setBack("snapshot", 30 * 24 * hourMs);
      workshop.copy("snapshot", "copy");
      workshop.copy("snapshot", "hollow");
      rmSync(join(workshop.folder, "hollow/pool"), { recursive: true });
      const names = ["snapshot", "copy", "hollow"];
      await feed(names);
      expect(damages(names, await feed(names))).toEqual({
        ...{ snapshot: "1 ok in_sync", copy: "1 ok in_sync", hollow: "1 ok differs missing_file" },
      });
      const text = readFileSync(join(folder, "_site/v1/report/s/p/t/index.json"), "utf8");
      expect(JSON.parse(text)).toMatchObject({ warnings: [{ code: "expired" }] });
      rmSync(join(folder, "state.json"));
    });

    test("its age is that of its release file", () => {
      for (const name of ["source", "fresh", "behind", "frozen", "partial"] as const) {
        const text = readFileSync(join(workshop.folder, name, releaseFolder, "Release"), "utf8");
        const date = new Date(/^Date: (.*)$/m.exec(text)?.[1] ?? "");
        expect(found[name].content_at).toBe(date.toISOString());
      }
    });

    test.each<[Mirror, number, string]>([
      ["source", 0, "Get:"],
      ["fresh", 0, "Get:"],
      ["behind", 100, "Unable to locate package three"],
      ["frozen", 100, "is expired"],
      ["partial", 100, "404  Not Found"],
      ["clipped", 100, "unexpected size"],
      ["parked", 100, "Clearsigned file isn't valid"],
      ["gone", 100, "does not have a Release file"],
    ])("apt, which installs from %s, ends with %i: %s", async (name, code, message) => {
      const result = await workshop.apt(`${server.url}/${name}`, "download", "three");
      expect(result).toMatchObject({ output: expect.stringContaining(message), code });
    });

    test("with a keyring, only content signed by its key counts", async () => {
      for (const [name, change] of [
        ["tampered", (text: string) => text.replace("Components: main", "Components: more")],
        ["appended", (text: string) => text.repeat(2)],
      ] as const) {
        workshop.copy("source", name);
        const release = join(workshop.folder, name, releaseFolder, "InRelease");
        writeFileSync(release, change(readFileSync(release, "utf8")));
      }
      mkdirSync(join(folder, "foreign"));
      const foreigner = new AptWorkshop(join(folder, "foreign"));
      foreigner.add("archive", "one");
      cpSync(join(foreigner.folder, "archive"), join(workshop.folder, "foreign"), { recursive: true });
      const both = join(folder, "both.gpg");
      writeFileSync(both, Buffer.concat([readFileSync(workshop.keyring), readFileSync(foreigner.keyring)]));
      writeFileSync(join(folder, "archive.gpg"), readFileSync(workshop.keyring));

      const names = ["source", "behind", "tampered", "appended", "foreign"];
      const codes = async (keyring: string) => (await feed(names, { keyring })).map(({ code }) => code);
      const good = ["ok", "ok", "bad_signature", "not_apt"];
      expect(await codes("archive.gpg")).toEqual([...good, "bad_signature"]);
      expect(await codes(both)).toEqual([...good, "ok"]);
      const messages = { tampered: "BADSIG", foreign: "NO_PUBKEY", appended: "Splitting up" };
      for (const [name, message] of Object.entries(messages))
        expect((await workshop.apt(`${server.url}/${name}`, "download", "one")).output).toContain(message);
    });
  },
);
