import { type ListFormat, numberedLines } from "./list-format.ts";

/**
 * A pacman mirror list (pacman.conf(5)). A mirror's URL ends before the first variable, `$repo` or `$arch`.
 * Commented-out servers are left out.
 */
export const pacman: ListFormat = {
  name: "pacman",
  isLike: (text) => /^[# \t]*Server[ \t]*=/m.test(text),
  parse: (text) => {
    const servers = numberedLines(text).flatMap(({ line, text: content }) => {
      const [, url] = /^Server\s*=\s*(\S+)/.exec(content) ?? [];
      return url === undefined ? [] : [{ line, url }];
    });
    const entries = servers.map(({ line, url }) => ({ line, url: beforeVariables(url) }));
    const pattern = servers.find(({ url }) => url.includes("$repo"))?.url ?? "";
    const folder = pattern
      .slice(beforeVariables(pattern).length)
      .replaceAll("$repo", "core")
      .replaceAll("$arch", "x86_64");
    // By default, the kind pacman expects Arch Linux's layout.
    const isUsual = folder === "" || folder === "core/os/x86_64";
    const layout = isUsual ? {} : { pacman: { database: `${folder}/core.db` } };
    return { probe: { kind: "pacman", ...layout }, entries };
  },
};

/** Cuts a URL before the path segment with the first variable. */
function beforeVariables(url: string): string {
  const variable = url.indexOf("$");
  return variable < 0 ? url : url.slice(0, url.lastIndexOf("/", variable) + 1);
}
