import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import * as z from "zod";
import { runProgram } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const observed = z.object({ observations: z.array(z.object({ id: z.number(), code: z.string() })) });

/** Runs a command that stores results, with this configuration. Returns its peak memory in KiB, and each node's code. */
export async function peakOf(command: "probe" | "run", config: object) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
  const node = ["--import", join(import.meta.dirname, "report-memory.js")];
  const { code, stderr } = await runProgram([command, "--results", "results.json"], { folder, node });
  expect([code, stderr]).toEqual([0, expect.stringContaining("peak ")]);
  const { observations } = observed.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
  return { peak: Number(/peak (\d+)/.exec(stderr)?.[1]), codes: observations.map((one) => one.code) };
}
