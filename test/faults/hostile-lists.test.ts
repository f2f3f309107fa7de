import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import * as z from "zod";
import { runProgram } from "../support/child.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { serveFiles, type ServedFiles } from "../support/file-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const observed = z.object({ observations: z.array(z.object({ id: z.number(), code: z.string() })) });

/** Returns an archive whose package list is this text. */
function archiveOf(name: string, text: Buffer): ServedFiles {
  const list = gzipSync(text);
  const path = "main/binary-amd64/Packages.gz";
  const release = `Suite: stable\nSHA256:\n ${hash("sha256", list)} ${list.length} ${path}\n`;
  return { [`/${name}/dists/stable/InRelease`]: release, [`/${name}/dists/stable/${path}`]: list };
}

/** Runs mirrorfeed with a target for each archive. Returns its peak memory in KiB, and the nodes that are not ok. */
async function peakOf(url: string, names: readonly string[]) {
  const folder = temporaryFolder();
  const nodes = names.map((name, place) => ({ id: place + 1, url: `${url}/${name}` }));
  const targets = nodes.map((node) => ({ target: `t${node.id}`, primary: node.id, network: [node] }));
  const probe = { kind: "apt", attempts: 1, allowPrivate: true, timeout: "60s" };
  const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ systems, probe }));
  const node = ["--import", join(import.meta.dirname, "report-memory.js")];
  const { code, stderr } = await runProgram(["run", "--results", "results.json"], { folder, node });
  expect([code, stderr]).toEqual([0, expect.stringContaining("peak ")]);
  const results = observed.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
  const failed = results.observations.filter((one) => one.code !== "ok");
  return { peak: Number(/peak (\d+)/.exec(stderr)?.[1]), failed };
}

test("package lists that expand to 200 MB cost little memory, and no other mirror its evidence", async () => {
  const honest = archiveOf("honest", Buffer.from("Package: a\nFilename: a.deb\n\n".repeat(2000)));
  const hostile = archiveOf("hostile", Buffer.alloc(200 * 1024 * 1024, "Filename:a/b.deb\n"));
  const { url } = closeAfterTest(await serveFiles({ ...honest, ...hostile }));
  const few = Array.from({ length: 20 }, () => "honest");
  const alone = await peakOf(url, few);
  const beside = await peakOf(url, [...Array.from({ length: 8 }, () => "hostile"), ...few]);
  expect([alone.failed, beside.failed]).toEqual([[], []]);
  // Memory grew more than sixfold when the lists were kept in memory.
  expect(beside.peak / alone.peak).toBeLessThan(3);
});
