import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const manifestSchema = z.object({ version: z.string(), homepage: z.string() });

const packageFile = fileURLToPath(new URL("../package.json", import.meta.url));

/** The version and the address of this program, from its package.json. */
export const product = manifestSchema.parse(JSON.parse(readFileSync(packageFile, "utf8")));

/** The folders of the files that every site gets: those kept as they are, and those that the build makes. */
export const publicFolders = ["../public", "../dist/public"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
