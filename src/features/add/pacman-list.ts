import { type ListFormat, numberedLines } from "./list-format.ts";

const server = /^Server\s*=\s*(\S+)/;
const commented = /^#[#\s]*Server\s*=/;

/**
 * A pacman mirror list (pacman.conf(5)). A mirror's URL ends before the first variable, `$repo` or `$arch`.
 * Commented-out servers are left out.
 */
export const pacman: ListFormat = {
  title: "a pacman mirror list",
  probe: (text) => {
    const [url] = serversOf(text).flatMap((one) => (one.url.includes("$repo") ? [one.url] : []));
    const folder = url
      ?.slice(beforeVariables(url).length)
      .replaceAll("$repo", "core")
      .replaceAll("$arch", "x86_64");
    // By default, the kind pacman expects Arch Linux's layout.
    const isUsual = folder === undefined || folder === "core/os/x86_64";
    return { kind: "pacman", ...(isUsual ? {} : { pacman: { database: `${folder}/core.db` } }) };
  },
  isLike: (text) =>
    numberedLines(text).some(({ text: content }) => server.test(content) || commented.test(content)),
  parse: (text) => serversOf(text).map(({ line, url }) => ({ line, url: beforeVariables(url) })),
  whyEmpty: (text) =>
    numberedLines(text).some(({ text: content }) => commented.test(content))
      ? "all its servers are commented out; remove the # before those you want to import"
      : undefined,
};

function serversOf(text: string): { readonly line: number; readonly url: string }[] {
  return numberedLines(text).flatMap(({ line, text: content }) => {
    const [, url] = server.exec(content) ?? [];
    return url === undefined ? [] : [{ line, url }];
  });
}

/** Cuts a URL before the path segment with the first variable. */
function beforeVariables(url: string): string {
  const variable = url.indexOf("$");
  return variable < 0 ? url : url.slice(0, url.lastIndexOf("/", variable) + 1);
}
