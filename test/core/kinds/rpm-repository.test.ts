import { hash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { SampleFile } from "../../../src/core/kinds/mirror-content.ts";
import type { Engine } from "../../features/hosts/engine.ts";
import { hasNginx } from "../../features/hosts/nginx-process.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { damages, type ReportedMirror, runFeed, writeFeed } from "../../support/mirror-feed.ts";
import { describeWith } from "../../support/requirement.ts";
import { hasRpmTools, packagePath, RpmWorkshop } from "../../support/rpm-repository.ts";
import { serveFolder } from "../../support/served-folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const hourMs = 3_600_000;
/** The status, code, freshness and content code of each mirror. */
const expected = {
  source: "1 ok in_sync",
  fresh: "1 ok in_sync",
  old: "1 ok behind",
  cut: "1 ok differs half_synced",
  short: "1 ok differs half_synced",
  partial: "1 ok differs missing_file",
  clipped: "1 ok differs wrong_size",
  broken: "0 not_rpm unknown",
  parked: "0 not_rpm unknown",
  gone: "0 http_status unknown",
};

type Mirror = keyof typeof expected;

const mirrors = Object.keys(expected) as Mirror[];

describeWith(
  "createrepo_c, rpmbuild, dnf and nginx",
  hasRpmTools && hasNginx,
  "a repository of RPM packages, copied at different ages and damaged",
  () => {
    const folder = temporaryFolder();
    const workshop = new RpmWorkshop(join(folder, "root"));
    const updated = Math.floor(Date.now() / 1000) - 3600;
    const before = new Date(1000 * updated - 30 * hourMs);
    const after = new Date(1000 * updated);
    let server: Engine;
    let found: Readonly<Record<Mirror, ReportedMirror>>;

    const urlOf = (name: Mirror): string => `${server.url}/${name}`;
    const indexOf = (name: Mirror): Buffer =>
      readFileSync(join(workshop.folder, name, "repodata/repomd.xml"));

    beforeAll(async () => {
      mkdirSync(workshop.folder);
      workshop.add("old", before, "one", "two");
      workshop.copy("old", "source");
      workshop.add("source", after, "three");
      workshop.copy("source", "fresh");
      workshop.copy("old", "cut");
      writeFileSync(join(workshop.folder, "cut/repodata/repomd.xml"), indexOf("source"));
      workshop.copy("source", "short");
      workshop.damage("short", "-primary.xml", (content) => content.subarray(0, 100));
      workshop.copy("source", "partial");
      for (const name of ["one", "two", "three"]) rmSync(join(workshop.folder, "partial", packagePath(name)));
      workshop.copy("source", "clipped");
      for (const name of ["one", "two", "three"])
        truncateSync(join(workshop.folder, "clipped", packagePath(name)), 300);
      workshop.copy("source", "broken");
      workshop.damage("broken", "repomd", (content) => content.subarray(0, -30));
      server = closeAfterFile(await serveFolder(workshop.folder));
      writeFeed(folder, mirrors.map(urlOf), { kind: "rpm" });
    });

    test("each damage has its own code", async () => {
      await runFeed(folder);
      const nodes = await runFeed(folder);
      found = Object.fromEntries(mirrors.map((name, index) => [name, nodes[index]])) as typeof found;
      expect(damages(mirrors, nodes)).toEqual(expected);
    });

    test("its age and its revision are those of createrepo_c", () => {
      for (const name of ["source", "fresh", "old", "cut", "short", "partial"] as const) {
        const text = indexOf(name);
        const sha256 = hash("sha256", text);
        const [, seconds = ""] = /<revision>(\d+)<\/revision>/.exec(text.toString()) ?? [];
        expect(found[name].revision).toBe(`${seconds}-${sha256.slice(0, 32)}`);
        expect(found[name].content_at).toBe(new Date(1000 * Number(seconds)).toISOString());
      }
      expect(found.source.content_at).toBe(after.toISOString());
      expect(found.old.content_at).toBe(before.toISOString());
    });

    test("lists get the size and the digests of the index of the primary", () => {
      const { references } = JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as {
        references: Record<string, { versions: { value: string; index: unknown }[] }>;
      };
      const text = indexOf("source");
      const { index } =
        references["s/p/t"]?.versions.find(({ value }) => value === found.source.revision) ?? {};
      expect(index).toEqual({
        size: text.length,
        sha256: hash("sha256", text),
        sha512: hash("sha512", text),
        turn: expect.any(Number),
        files: expect.toSatisfy((files: readonly SampleFile[]) => {
          const sizeOf = (path: string) => statSync(join(workshop.folder, "source", path)).size;
          const paths = files.map(({ path }) => path).sort();
          const areSized = files.every(({ path, size }) => size === sizeOf(path));
          return areSized && paths.join() === ["one", "three", "two"].map(packagePath).join();
        }),
      });
    });

    test.each<[Mirror, number, string]>([
      ["source", 0, "Complete!"],
      ["fresh", 0, "Complete!"],
      ["old", 1, "No match for argument: three"],
      ["cut", 1, "404"],
      ["short", 1, "checksum"],
      ["partial", 1, "404"],
      ["clipped", 1, "Content-Length: 300, repository metadata states file length"],
      ["broken", 1, "repomd.xml"],
      ["parked", 1, "repomd.xml"],
      ["gone", 1, "404"],
    ])("dnf, which downloads from %s, ends with %i: %s", (name, code, message) => {
      const result = workshop.dnf(urlOf(name), "three");
      expect(result).toMatchObject({ output: expect.stringContaining(message), code });
    });
  },
);
