import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import packageJson from "../../../../package.json" with { type: "json" };

/** package.json has no homepage until the project has one. */
const { version, homepage }: { version: string; homepage?: string } = packageJson;

export const product = { version, homepage };

/** RFC 9110, 10.1.5. `site` is the URL of the feed. Bot checks let Git pass, and know it by its name. */
export function userAgent(
  { command, site, isGit }: { command?: string; site?: string | undefined; isGit?: true },
  { version, homepage } = product,
): string {
  const addresses = [homepage, site].filter((url) => url !== undefined).map((url) => `+${url}`);
  const comment = [...(command === undefined ? [] : [command]), ...addresses];
  if (isGit) return `git/2.0 (${[`mirrorfeed/${version}`, ...comment].join("; ")})`;
  return `mirrorfeed/${version}${comment.length === 0 ? "" : ` (${comment.join("; ")})`}`;
}

/** Works in the bundle and from source, because a package can import itself by name. */
export const packageFolder = dirname(createRequire(import.meta.url).resolve("mirrorfeed/package.json"));

/** Folders whose files are copied into every site. The build creates the second one. */
export const publicFolders = ["public", "dist/public"].map((folder) => join(packageFolder, folder));
