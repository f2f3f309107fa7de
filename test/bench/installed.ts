import { spawnSync } from "node:child_process";

/** Returns the path of a program, also of Debian's Nagios plugins, or undefined if it is not installed. */
export function installed(name: string): string | undefined {
  const script = 'PATH="$PATH:/usr/lib/nagios/plugins"; command -v "$1"';
  const found = spawnSync("sh", ["-c", script, "sh", name], { encoding: "utf8" }).stdout.trim();
  return found === "" ? undefined : found;
}
