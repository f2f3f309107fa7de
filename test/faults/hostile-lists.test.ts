import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { closeAfterTest } from "../support/close-after-test.ts";
import { serveFiles, type ServedFiles } from "../support/file-server.ts";
import { peakOf } from "./peak-memory.ts";

/** Returns an archive whose package list is this text. */
function archiveOf(name: string, text: Buffer): ServedFiles {
  const list = gzipSync(text);
  const path = "main/binary-amd64/Packages.gz";
  const release = `Suite: stable\nSHA256:\n ${hash("sha256", list)} ${list.length} ${path}\n`;
  return { [`/${name}/dists/stable/InRelease`]: release, [`/${name}/dists/stable/${path}`]: list };
}

/** Runs mirrorfeed with a target for each archive. */
function runArchives(url: string, names: readonly string[]) {
  const nodes = names.map((name, place) => ({ id: place + 1, url: `${url}/${name}` }));
  const targets = nodes.map((node) => ({ target: `t${node.id}`, primary: node.id, network: [node] }));
  const probe = { kind: "apt", attempts: 1, allowPrivate: true, timeout: "60s" };
  return peakOf("run", { systems: [{ system: "s", projects: [{ project: "p", targets }] }], probe });
}

test("package lists that expand to 200 MB cost little memory, and no other mirror its evidence", async () => {
  const honest = archiveOf("honest", Buffer.from("Package: a\nFilename: a.deb\n\n".repeat(2000)));
  const hostile = archiveOf("hostile", Buffer.alloc(200 * 1024 * 1024, "Filename:a/b.deb\n"));
  const { url } = closeAfterTest(await serveFiles({ ...honest, ...hostile }));
  const few = Array.from({ length: 20 }, () => "honest");
  const alone = await runArchives(url, few);
  const beside = await runArchives(url, [...Array.from({ length: 8 }, () => "hostile"), ...few]);
  expect(new Set([...alone.codes, ...beside.codes])).toEqual(new Set(["ok"]));
  // Memory grew more than sixfold when the lists were kept in memory.
  expect(beside.peak / alone.peak).toBeLessThan(3);
});
