import { type ListFormat, numberedLines } from "./list-format.ts";

/** A plain list: one URL a line. A line that begins with # is a comment, and so is the rest behind a space and #. */
export const urls: ListFormat = {
  title: "a list with one URL a line",
  probe: () => undefined,
  isLike: (_, text) => {
    const first = numberedLines(text).find((one) => !one.text.startsWith("#"));
    return first !== undefined && /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(first.text);
  },
  parse: (text) =>
    numberedLines(text).flatMap(({ line, text: content }) => {
      const url = content.replace(/(?:^|\s)#.*$/, "").trimEnd();
      return url === "" ? [] : [{ line, url }];
    }),
};
