import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder for temporary files; who asks for it removes it. */
export function scratchFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "mirrorfeed-bench-"));
}
