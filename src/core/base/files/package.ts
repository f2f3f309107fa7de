import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import packageJson from "../../../../package.json" with { type: "json" };

interface Manifest {
  readonly version: string;
  /** Missing from package.json until the project has a homepage. */
  readonly homepage?: string;
}

const manifest: Manifest = packageJson;

export const product = { version: manifest.version, homepage: manifest.homepage };

interface Sender {
  readonly command?: string;
  /** The URL of the feed. */
  readonly site?: string | undefined;
}

/** RFC 9110, 10.1.5. */
export function userAgent(sender: Sender, { version, homepage } = product): string {
  const comment = commentOf(sender, homepage);
  return `mirrorfeed/${version}${comment.length === 0 ? "" : ` (${comment.join("; ")})`}`;
}

/** Bot checks let Git pass, and know it by this name. */
export function gitUserAgent(sender: Sender, { version, homepage } = product): string {
  return `git/2.0 (${[`mirrorfeed/${version}`, ...commentOf(sender, homepage)].join("; ")})`;
}

function commentOf({ command, site }: Sender, homepage: string | undefined): string[] {
  const addresses = [homepage, site].filter((url) => url !== undefined).map((url) => `+${url}`);
  return [...(command === undefined ? [] : [command]), ...addresses];
}

/** Works in the bundle and from source, because a package can import itself by name. */
export const packageFolder = dirname(createRequire(import.meta.url).resolve("mirrorfeed/package.json"));

/** Folders whose files are copied into every site. The build creates the second one. */
export const publicFolders = ["public", "dist/public"].map((folder) => join(packageFolder, folder));
