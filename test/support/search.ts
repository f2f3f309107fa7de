import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCode } from "../../src/base/errors.ts";

const run = promisify(execFile);

/** What a search has read, and where it has found its text. */
export interface Findings {
  rounds: number;
  files: number;
  readonly found: string[];
}

/** Searches all command lines and the temporary files of publications for a text, until it is stopped. */
export function startSearch(text: string): { stop: () => Promise<Findings> } {
  const findings: Findings = { rounds: 0, files: 0, found: [] };
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const { stdout } = await run("ps", ["-A", "-ww", "-o", "args="]);
      findings.found.push(...stdout.split("\n").filter((line) => line.includes(text)));
      for (const name of readdirSync(tmpdir())) {
        if (!name.startsWith("mirrorfeed-publish-")) continue;
        const files = filesBelow(join(tmpdir(), name));
        findings.files += files.length;
        findings.found.push(
          ...files.filter((file) => orNothing(() => readFileSync(file), "").includes(text)),
        );
      }
      findings.rounds += 1;
      await wait(5);
    }
  };
  const looking = look();
  return {
    stop: async () => {
      isOver = true;
      await looking;
      return findings;
    },
  };
}

/** Returns every plain file below a folder. */
export function filesBelow(folder: string): string[] {
  const entries = orNothing(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(place);
    return entry.isFile() ? [place] : [];
  });
}

/** Returns what was read, or `nothing` if the file or process is gone meanwhile. */
function orNothing<One, Other>(read: () => One, nothing: Other): One | Other {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return nothing;
  }
}
