import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { quote } from "../base/text/quote.ts";
import type { Config } from "./schema.ts";

/** What the beginning of a picture holds, by the extension of its name. Bytes are read as Latin-1. */
const beginnings: Readonly<Record<string, RegExp>> = {
  svg: /<svg[\s>]/,
  png: /^\x89PNG\r\n/,
  webp: /^RIFF[^]{4}WEBP/,
};
const readBytes = 4096;

/** Returns what is wrong with the file of `site.logo` in `public/` below a folder, or undefined. */
export function logoProblem({ logo }: Config["site"], folder: string): string | undefined {
  if (logo === undefined) return undefined;
  const file = join(folder, "public", logo);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    return `${quote(file)} is not a file; put the picture there, or correct the path`;
  const extension = logo.slice(logo.lastIndexOf(".") + 1).toLowerCase();
  const start = readFileSync(file).subarray(0, readBytes).toString("latin1");
  if (beginnings[extension]?.test(start) === true) return undefined;
  return `${quote(file)} is not a picture in the format ${extension.toUpperCase()}; replace the file, or correct its extension`;
}
