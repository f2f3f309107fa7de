import { basename } from "node:path";
import { InputError } from "../../base/errors.ts";
import { formatList } from "../../base/text/count.ts";
import { apt } from "./apt.ts";
import { type FormatName, formatNames } from "./format-names.ts";
import { gatus } from "./gatus.ts";
import type { ListFormat } from "./list-format.ts";
import { pacman } from "./pacman.ts";
import { upptime } from "./upptime.ts";
import { urls } from "./urls.ts";

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, ListFormat>> = { upptime, gatus, pacman, apt, urls };

/** Returns the format of a list. Throws InputError if it is none of them. */
export function findFormat(file: string, text: string): FormatName {
  const found = formatNames.find((name) => formats[name].isLike(basename(file), text));
  if (found !== undefined) return found;
  throw new InputError(
    `${file} is not a list of mirrors that mirrorfeed recognizes; name its format with --format ${formatList(formatNames, "or")}.`,
  );
}
