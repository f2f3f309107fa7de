import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder for temporary files. The caller removes it. */
export function scratchFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "mirrorfeed-bench-"));
}
