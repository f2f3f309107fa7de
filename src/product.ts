import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };

/** The version and the address of this program, from its package.json. */
export const product = { version: manifest.version, homepage: manifest.homepage };

/** The folder of this package, seen from the bundle as from the source. */
export const packageFolder = fileURLToPath(new URL("..", import.meta.url));

/** The folders of the files that every site gets: those kept as they are, and those that the build makes. */
export const publicFolders = ["../public", "../dist/public"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
