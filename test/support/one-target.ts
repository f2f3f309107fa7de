import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the mirrors.json of one target, which has a mirror at each URL. `more` overrides its other keys. */
export function writeOneTarget(folder: string, urls: readonly string[], more: object = {}): void {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const systems = [
    { system: "community", projects: [{ project: "jcb", targets: [{ target: "packages", network }] }] },
  ];
  const probe = { allowPrivate: true, timeout: "5s", attempts: 1 };
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify({ systems, probe, ...more }, null, 2));
}
