import type { ListedMirror, MirrorList } from "./list.ts";

/** A mirror list for pacman (pacman.conf(5), "Server"). */
export const pacmanList: MirrorList = {
  extension: "conf",
  type: "text/plain",
  tool: "pacman",
  title: "The mirrors for pacman, best first",
  description:
    "A file for `Include` of pacman: `Server = …` for each mirror. `$repo` and `$arch` stand where `pacman.database` has the names of a repository and an architecture.",
  usage: {
    title: "Update the mirror list of pacman",
    line: (url) => `curl -fsS ${url} -o /etc/pacman.d/mirrorlist`,
  },
  render: ({ mirrors }) => mirrors.map((mirror) => `Server = ${server(mirror)}\n`).join(""),
};

/** The architectures of distributions with pacman. Some have levels, such as x86_64_v3. */
const architecture =
  /^(?:x86_64|i[3-6]86|pentium4|aarch64|armv?\d\w*|riscv64|loong(?:arch)?64)(?=(?:_v\d)?$)/;

/**
 * Returns the value of `Server` for a mirror: the folder of its database, with `$repo` and `$arch` for the repository and the
 * architecture.
 */
function server({ url, options }: ListedMirror): string {
  const path = typeof options["database"] === "string" ? options["database"] : "core/os/x86_64/core.db";
  const folders = path.split("/");
  const repository = folders.pop()?.replace(/\.db$/, "");
  const names = folders.map((folder) =>
    folder === repository ? "$repo" : folder.replace(architecture, "$$arch"),
  );
  // pacman would replace a dollar of the URL too.
  return [url.replace(/\/+$/, "").replaceAll("$", "%24"), ...names].join("/");
}
