import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { startServer } from "../../src/testbed/server.ts";
import { parseState } from "../../src/state/document.ts";
import { runInProcess } from "../support/in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const names = ["source", "fresh", "old", "partial", "silent", "parked"] as const;

type Name = (typeof names)[number];

const now = Date.now();
const hourMs = 3_600_000;
const index = "<title>Index of /pub/example</title>";

/** The times of the copies; that of the other mirrors is not known. */
const times: Partial<Record<Name, number>> = {
  source: now - hourMs,
  fresh: now - hourMs,
  old: now - 49 * hourMs,
  partial: now - hourMs,
};

test("the program tells mirrors apart that all answer", async () => {
  const folder = temporaryFolder();
  const server = await startServer(({ response, path }) => {
    const [, mirror = "", file] = path.split("/");
    const name = names.find((one) => one === mirror);
    const time = name && times[name];
    if (name === "parked") response.end("<title>This domain is for sale</title>");
    else if (file === "") response.end(index);
    else if (file === "lastupdate" && time !== undefined) response.end(`${Math.floor(time / 1000)}\n`);
    else if (file === "a.iso" && name !== "partial") response.end("data");
    else response.writeHead(404).end();
  });
  onTestFinished(() => server.close());
  const network = names.map((name, n) => ({ id: n + 1, url: `${server.url}/${name}/` }));
  const target = { target: "files", primary: 1, network };
  const content = {
    text: "Index of /pub/example",
    timestamp: { path: "lastupdate", format: "epoch" },
    files: ["a.iso"],
  };
  const config = {
    systems: [{ system: "s", projects: [{ project: "p", targets: [target] }] }],
    probe: { kind: "http", http: { content }, attempts: 1, allowPrivate: true },
  };
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
  const { code } = await runInProcess(["run", "--state", "state.json"], { folder });
  expect(code).toBe(0);

  const { nodes } = parseState(readFileSync(join(folder, "state.json"), "utf8"), "state.json");
  const report: unknown = JSON.parse(
    readFileSync(join(folder, "_site/v1/report/s/p/files/index.json"), "utf8"),
  );
  const shape = z.object({
    network: z.array(z.object({ status: z.int(), code: z.string(), freshness: z.string() })),
  });
  const reported = shape.parse(report).network;
  const found = names.map((name, n) => {
    const { content_at, content_code } = nodes[n + 1] ?? {};
    return [name, { ...reported[n], content_at, content_code }] as const;
  });
  const second = (name: Name): number => Math.floor((times[name] ?? Number.NaN) / 1000) * 1000;
  const ok = { status: 1, code: "ok", content_code: undefined };
  expect(Object.fromEntries(found)).toEqual({
    source: { ...ok, freshness: "in_sync", content_at: second("source") },
    fresh: { ...ok, freshness: "in_sync", content_at: second("fresh") },
    old: { ...ok, freshness: "behind", content_at: second("old") },
    partial: { ...ok, freshness: "differs", content_at: second("partial"), content_code: "missing_file" },
    silent: { ...ok, freshness: "unknown", content_at: undefined },
    parked: { ...ok, status: 0, code: "wrong_content", freshness: "unknown", content_at: undefined },
  });
});
