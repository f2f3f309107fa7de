import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Engine } from "../../features/hosts/engine.ts";
import { hasNginx } from "../../features/hosts/nginx-process.ts";
import { hasMirmon, mirmonTimes } from "../../support/mirmon.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { damages, type ReportedMirror, runFeed, writeFeed } from "../../support/mirror-feed.ts";
import { hasPacmanTools, PacmanWorkshop } from "../../support/pacman-mirror.ts";
import { describeWith } from "../../support/requirement.ts";
import { serveFolder } from "../../support/served-folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const hourMs = 3_600_000;
/** The status, code, freshness and content code of each mirror. */
const expected = {
  source: "1 ok in_sync",
  fresh: "1 ok in_sync",
  old: "1 ok behind",
  cut: "1 ok behind half_synced",
  early: "1 ok behind half_synced",
  empty: "1 ok unknown half_synced",
  partial: "1 ok differs missing_file",
  clipped: "1 ok differs wrong_size",
  bare: "1 ok differs missing_file",
  parked: "0 not_pacman unknown",
  gone: "0 http_status unknown",
};

type Mirror = keyof typeof expected;

const mirrors = Object.keys(expected) as Mirror[];

describeWith(
  "repo-add, pacman, mirmon, curl and nginx",
  hasPacmanTools && hasMirmon && hasNginx,
  "a mirror for pacman, copied at different ages and damaged",
  () => {
    const folder = temporaryFolder();
    const workshop = new PacmanWorkshop(join(folder, "root"));
    const updated = Math.floor(Date.now() / 1000) - 3600;
    const before = new Date(1000 * updated - 30 * hourMs);
    const after = new Date(1000 * updated);
    let server: Engine;
    let found: Readonly<Record<Mirror, ReportedMirror>>;

    const urlOf = (name: Mirror): string => `${server.url}/${name}/`;

    beforeAll(async () => {
      mkdirSync(workshop.folder);
      workshop.add("old", before, "one", "two");
      workshop.copy("old", "source");
      workshop.add("source", after, "three");
      workshop.copy("source", "fresh");
      // A sync copies the files at the root first, and the packages last.
      workshop.copy("old", "cut");
      workshop.stamp("cut", "lastupdate", after);
      workshop.copy("source", "early");
      workshop.stamp("early", "lastupdate", before);
      workshop.copy("source", "empty");
      workshop.remove("empty", /\.db/);
      workshop.copy("source", "partial");
      workshop.remove("partial", /\.pkg/);
      workshop.copy("source", "clipped");
      for (const path of readdirSync(join(workshop.folder, "clipped"), { recursive: true, encoding: "utf8" }))
        if (path.includes(".pkg")) writeFileSync(join(workshop.folder, "clipped", path), "cut off");
      workshop.copy("source", "bare");
      rmSync(join(workshop.folder, "bare/lastupdate"));
      server = closeAfterFile(await serveFolder(workshop.folder));
      writeFeed(folder, mirrors.map(urlOf), { kind: "pacman" });
    });

    test("each damage has its own code", async () => {
      await runFeed(folder);
      const nodes = await runFeed(folder);
      found = Object.fromEntries(mirrors.map((name, index) => [name, nodes[index]])) as typeof found;
      expect(damages(mirrors, nodes)).toEqual(expected);
      expect(found.fresh.revision).toBe(found.source.revision);
    });

    test("its age is what mirmon reads in lastupdate, unless the database says that it is older", async () => {
      const times = await mirmonTimes(folder, mirrors.map(urlOf), "lastupdate");
      const seconds = Object.fromEntries(mirrors.map((name, index) => [name, times[index]]));
      const isoOf = (time: number | undefined) => new Date(1000 * Number(time)).toISOString();
      expect(seconds).toMatchObject({ source: updated, old: before.getTime() / 1000, bare: undefined });
      for (const name of ["source", "fresh", "old", "early", "partial"] as const)
        expect({ [name]: found[name].content_at }).toEqual({ [name]: isoOf(seconds[name]) });
      expect([seconds["cut"], found.cut.content_at]).toEqual([updated, before.toISOString()]);
    });

    test.each<[Mirror, number, string]>([
      ["source", 0, "three-1:2.0+a-1"],
      ["fresh", 0, "three-1:2.0+a-1"],
      ["old", 1, "target not found: three"],
      ["cut", 1, "target not found: three"],
      ["early", 0, "three-1:2.0+a-1"],
      ["empty", 1, "failed to synchronize all databases"],
      ["partial", 1, "404"],
      ["clipped", 1, "corrupted package"],
      ["bare", 0, "three-1:2.0+a-1"],
      ["parked", 1, "target not found: three"],
      ["gone", 1, "failed to synchronize all databases"],
    ])("pacman, which downloads from %s, ends with %i: %s", (name, code, message) => {
      const result = workshop.pacman(`${server.url}/${name}`, "three");
      expect(result).toMatchObject({ output: expect.stringContaining(message), code });
    });
  },
);
