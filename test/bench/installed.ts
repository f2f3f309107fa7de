import { spawnSync } from "node:child_process";

/** Where a program of this name is, also one of Debian's Nagios plugins; undefined where it is not installed. */
export function installed(name: string): string | undefined {
  const script = 'PATH="$PATH:/usr/lib/nagios/plugins"; command -v "$1"';
  const found = spawnSync("sh", ["-c", script, "sh", name], { encoding: "utf8" }).stdout.trim();
  return found === "" ? undefined : found;
}
