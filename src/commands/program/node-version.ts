import { InputError } from "../../base/errors.ts";

/** As `engines` of package.json has it, which npm only warns of. */
export const oldestNode = "20.19";

/** Throws InputError if a version of Node.js, such as `v18.20.8`, is older than the oldest that mirrorfeed runs on. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new InputError(
    `This is Node.js ${version}, and mirrorfeed needs ${oldestNode} or later; install a newer one.`,
  );
}
