import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { temporaryFolder } from "./temporary-folder.ts";

/** A `mirrorfeed init` command line that asks nothing: one mirror, for GitHub Pages. */
export const initForPages = [
  ...["init", "--yes", "--host", "github-pages", "--mirror", "https://git.example.org/a/t"],
  ...["--system", "s", "--project", "p", "--target", "t"],
];

/** Returns an environment in which `npm pack` only creates an empty file. This saves a second. */
export function withoutPacking(): NodeJS.ProcessEnv {
  const bin = temporaryFolder("mirrorfeed-npm-");
  const script = `while [ "$1" != --pack-destination ]; do shift; done; : > "$2/a.tgz"; echo a.tgz`;
  writeFileSync(join(bin, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${bin}${delimiter}${env["PATH"] ?? ""}` };
}
