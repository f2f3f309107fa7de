import { contentOf, type SiteFile } from "../../src/core/base/files/site-file.ts";

/** A rendered file as text, or an empty string if it does not exist. */
export function textOf(file: SiteFile | undefined): string {
  return file === undefined ? "" : String(contentOf(file));
}
