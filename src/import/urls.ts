import { type ListFormat, numberedLines } from "./list-format.ts";

/** A plain list: one URL a line. A line that begins with # is a comment, and so is the rest behind a space and #. */
export const urls: ListFormat = {
  title: "a list with one URL a line",
  kind: undefined,
  isLike: (_, text) => /^(?:[^\S\n]*(?:#[^\n]*)?\n)*[^\S\n]*[a-z][a-z0-9+.-]*:\/\/\S/i.test(text),
  parse: (text) =>
    numberedLines(text).flatMap(({ line, text: content }) => {
      const url = content.replace(/(?:^|\s+)#.*$/, "");
      return url === "" ? [] : [{ line, url }];
    }),
};
