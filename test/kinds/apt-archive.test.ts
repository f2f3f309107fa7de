import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { resultsSchema } from "../../src/probe/observation.ts";
import { parseState } from "../../src/state/document.ts";
import type { NodeState } from "../../src/state/schema.ts";
import type { Engine } from "../hosts/engine.ts";
import { hasNginx } from "../hosts/nginx-process.ts";
import { AptWorkshop, hasAptTools, releaseFolder } from "../support/apt-archive.ts";
import { runInProcess } from "../support/in-process.ts";
import { describeWith } from "../support/requirement.ts";
import { serveFolder } from "../support/served-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hourMs = 3_600_000;
const mirrors = ["source", "fresh", "behind", "frozen", "partial", "parked", "gone"] as const;

type Mirror = (typeof mirrors)[number];

describeWith(
  "reprepro, apt and nginx",
  hasAptTools && hasNginx,
  "an apt archive, copied at different ages and damaged",
  () => {
    const folder = temporaryFolder();
    let workshop: AptWorkshop;
    let server: Engine;

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
      server = await serveFolder(workshop.folder);
      writeFileSync(join(folder, "mirrors.json"), JSON.stringify(feedOf(server.url)));
    });
    afterAll(async () => {
      await server.close();
    });

    test("each mirror has a code of its own, as evidence of two runs", async () => {
      const first = await run();
      expect(content(first("source"))).toEqual({ status: 1, code: "ok", content_code: undefined });
      const second = await run();
      const found = Object.fromEntries(mirrors.map((name) => [name, content(second(name))]));
      expect(found).toEqual({
        source: { status: 1, code: "ok", content_code: undefined },
        fresh: { status: 1, code: "ok", content_code: undefined },
        behind: { status: 1, code: "ok", content_code: undefined },
        frozen: { status: 1, code: "ok", content_code: "expired" },
        partial: { status: 1, code: "ok", content_code: "missing_file" },
        parked: { status: 0, code: "not_apt", content_code: undefined },
        gone: { status: 0, code: "http_status", content_code: undefined },
      });
      expect(second("fresh")?.revision).toBe(second("source")?.revision);
      expect(second("partial")?.revision).toBe(second("source")?.revision);
      expect(second("behind")?.revision).not.toBe(second("source")?.revision);
    });

    test("the report says which are in sync, and which are behind", async () => {
      await run();
      const report = JSON.parse(readFileSync(join(folder, "_site/v1/report/s/p/debian/index.json"), "utf8"));
      const { network } = z.object({ network: z.array(z.object({ freshness: z.string() })) }).parse(report);
      expect(Object.fromEntries(mirrors.map((name, index) => [name, network[index]?.freshness]))).toEqual({
        source: "in_sync",
        fresh: "in_sync",
        behind: "behind",
        frozen: "behind",
        partial: "differs",
        parked: "unknown",
        gone: "unknown",
      });
    });

    test("its age is that of its release file", async () => {
      const states = await run();
      for (const name of ["source", "fresh", "behind", "frozen", "partial"] as const) {
        const text = readFileSync(join(workshop.folder, name, releaseFolder, "Release"), "utf8");
        expect(states(name)?.content_at).toBe(Date.parse(/^Date: (.*)$/m.exec(text)?.[1] ?? ""));
      }
      const lag = Number(states("source")?.content_at) - Number(states("behind")?.content_at);
      expect(Math.round(lag / hourMs)).toBe(30);
    });

    test.each<[Mirror, number, string]>([
      ["source", 0, "Get:"],
      ["fresh", 0, "Get:"],
      ["behind", 100, "Unable to locate package three"],
      ["frozen", 100, "is expired"],
      ["partial", 100, "404  Not Found"],
      ["parked", 100, "Clearsigned file isn't valid"],
      ["gone", 100, "does not have a Release file"],
    ])("apt, which installs from %s, ends with %i: %s", async (name, code, message) => {
      const result = await workshop.apt(`${server.url}/${name}`, "download", "three");
      expect(result.output).toContain(message);
      expect(result.code).toBe(code);
    });

    test("with a keyring, only what its key signed is the archive", async () => {
      workshop.copy("source", "tampered");
      const release = join(workshop.folder, "tampered", releaseFolder, "InRelease");
      writeFileSync(release, readFileSync(release, "utf8").replace("Components: main", "Components: more"));
      workshop.copy("source", "appended");
      const longer = join(workshop.folder, "appended", releaseFolder, "InRelease");
      writeFileSync(longer, readFileSync(longer, "utf8").repeat(2));
      mkdirSync(join(folder, "foreign"));
      const foreigner = new AptWorkshop(join(folder, "foreign"));
      foreigner.add("archive", "one");
      cpSync(join(foreigner.folder, "archive"), join(workshop.folder, "foreign"), { recursive: true });
      mkdirSync(join(folder, "keys"));
      copyFileSync(workshop.keyring, join(folder, "keys/archive.gpg"));

      const names = ["source", "behind", "tampered", "appended", "foreign"];
      expect(await codesOf(names, "keys/archive.gpg")).toEqual({
        source: "ok",
        behind: "ok",
        tampered: "bad_signature",
        appended: "not_apt",
        foreign: "bad_signature",
      });
      for (const name of ["tampered", "foreign"]) {
        expect((await workshop.apt(`${server.url}/${name}`, "download", "one")).output).toMatch(
          /BADSIG|NO_PUBKEY/,
        );
      }
      expect((await workshop.apt(`${server.url}/appended`, "download", "one")).code).toBe(100);
      const both = join(folder, "keys/both.gpg");
      writeFileSync(both, Buffer.concat([readFileSync(workshop.keyring), readFileSync(foreigner.keyring)]));
      expect(await codesOf(names, both)).toMatchObject({ foreign: "ok", tampered: "bad_signature" });
    });

    /** Runs the program. Returns what it then knows of each mirror. */
    async function run(): Promise<(name: Mirror) => NodeState | undefined> {
      const { code, stderr } = await runInProcess(["run", "--state", "state.json"], { folder });
      expect(stderr).toContain("files written");
      expect(code).toBe(0);
      expect(existsSync(join(folder, "_site/index.html"))).toBe(true);
      const { nodes } = parseState(readFileSync(join(folder, "state.json"), "utf8"), "state.json");
      return (name) => nodes[mirrors.indexOf(name) + 1];
    }

    /** Returns the code of each mirror by its name, with a keyring. */
    async function codesOf(names: readonly string[], keyring: string): Promise<object> {
      const file = join(folder, "signed.json");
      writeFileSync(file, JSON.stringify(feedOf(server.url, names, { keyring })));
      const command = ["probe", "--config", file, "--results", "results.json"];
      expect((await runInProcess(command, { folder })).code).toBe(0);
      const results = resultsSchema.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
      return Object.fromEntries(names.map((name, index) => [name, results.observations[index]?.code]));
    }
  },
);

function content(node: NodeState | undefined): object {
  return { status: node?.status, code: node?.code, content_code: node?.content_code };
}

function feedOf(url: string, names: readonly string[] = mirrors, more: object = {}): object {
  const network = names.map((name, index) => ({ id: index + 1, url: `${url}/${name}/` }));
  const target = { target: "debian", primary: 1, network };
  return {
    systems: [{ system: "s", projects: [{ project: "p", targets: [target] }] }],
    probe: { kind: "apt", apt: { suite: "example", ...more }, attempts: 1, allowPrivate: true },
  };
}
