import { contentOf, type SiteFile } from "../../src/base/files/site-file.ts";

/** The text of a rendered file, or an empty one if there is no such file. */
export function textOf(file: SiteFile | undefined): string {
  return file === undefined ? "" : String(contentOf(file));
}
