import { group } from "../../core/base/text/group.ts";
import { parseUrl } from "../../core/base/text/url.ts";

/** A host in lower case and, without a slash at the end, a path in lower case. */
type Address = Readonly<NonNullable<ReturnType<typeof addressOf>>>;

/** A URL, Git's `user@host:path`, or a bare host with or without a path. */
const address =
  /(?<![\p{L}\p{N}.+-])(?:[a-z][a-z\d+.-]*:\/\/[^\s'"`<>|]+|[\w.-]+@[\w.-]+:[^\s'"`<>|]+|[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:\/[^\s'"`<>|]*)?)/giu;

/** Longer texts would take too long to search. */
const maxLength = 4000;

/** Returns the addresses in a URL, a line of `sources.list`, the output of `git remote -v`, an error message or the like. */
export function addressesIn(text: string): Address[] {
  const found = text.slice(0, maxLength).matchAll(address);
  return [...found].flatMap(([one]) => addressOf(one.replace(/[).,:;]+$/, "")) ?? []);
}

/** Leaves out the scheme, user, port, query and `.git`, because a reader may have a different one. */
export function addressOf(text: string) {
  const place = text
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, "")
    .replace(/^[^/@]*@/, "")
    .replace(/^([\w.-]+):(?!\d+(?:\/|$))/, "$1/");
  const url = parseUrl(`https://${place}`);
  if (url === undefined) return undefined;
  const path = url.pathname
    .toLowerCase()
    .replace(/\.git(?=\/|$)/g, "")
    .replace(/\/{2,}/g, "/")
    .replace(/\/$/, "");
  return { host: url.hostname, path };
}

/** Returns functions that find mirrors by addresses. They can return a mirror more than once. */
export function locate<One extends { readonly url: string }>(mirrors: readonly One[]) {
  const byHost = group(
    mirrors.flatMap((mirror) => {
      const found = addressOf(mirror.url);
      return found === undefined ? [] : [[found.host, { path: found.path, mirror }] as const];
    }),
  );
  return {
    /** An address of a file belongs to the mirror with the longest matching path. */
    mirrorsAt: (addresses: readonly Address[]): One[] =>
      addresses.flatMap(({ host, path }) => {
        const above = (byHost.get(host) ?? []).filter((one) => `${path}/`.startsWith(`${one.path}/`));
        const longest = Math.max(...above.map((one) => one.path.length));
        return above.filter((one) => one.path.length === longest).map(({ mirror }) => mirror);
      }),
    mirrorsOfHosts: (addresses: readonly Address[]): One[] =>
      addresses.flatMap(({ host }) => (byHost.get(host) ?? []).map(({ mirror }) => mirror)),
  };
}
