import { type ListFormat, numberedLines } from "./list-format.ts";

const server = /^Server\s*=\s*(\S+)/;

/**
 * A mirror list of pacman (pacman.conf(5)). The URL of a mirror ends where the first variable begins, `$repo` or `$arch`.
 * Servers in comments are not in use, and are left out.
 */
export const pacman: ListFormat = {
  title: "a mirror list of pacman",
  kind: "pacman",
  isLike: (_, text) => /^[^\S\n]*#?[^\S\n]*Server[^\S\n]*=/m.test(text),
  parse: (text) =>
    numberedLines(text).flatMap(({ line, text: content }) => {
      const [, url] = server.exec(content) ?? [];
      return url === undefined ? [] : [{ line, url: url.replace(/[^/]*\$.*$/, "") }];
    }),
  whyEmpty: (text) =>
    /^[^\S\n]*#+[^\S\n]*Server[^\S\n]*=/m.test(text)
      ? "all of its servers are in comments; remove the # before those to import"
      : undefined,
};
