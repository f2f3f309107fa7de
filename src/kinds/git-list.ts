import type { ListInput, MirrorList } from "./list.ts";

/** Settings of Git that clone and fetch from the best mirror, whichever mirror a URL names. */
export const gitList: MirrorList = {
  extension: "ini",
  type: "text/plain",
  tool: "Git",
  title: "Settings that make Git use the best mirror",
  description:
    "A file for `include.path` of Git: `url.….insteadOf` for each other mirror. Pushes still go to the mirror that they name. A URL that continues that of a mirror, such as `…/name-2` after `…/name`, is replaced too. It has no settings while no mirror is online.",
  render: ({ place, mirrors }: ListInput) => {
    const [best, ...others] = mirrors.map(({ url, status }) => ({ status, url: url.replace(/\/+$/, "") }));
    const head = `# The best mirror of ${place}, for include.path of Git`;
    if (best?.status !== 1) return `${head}: none is online, so Git uses each URL as it is.\n`;
    // Of all prefixes that match, Git replaces the longest one. A setting for pushes keeps them out of the others.
    const forms = others.flatMap(({ url }) => {
      const name = url.replace(/\.git$/, "");
      return [name, `${name}.git`];
    });
    const own = best.url.replace(/\.git$/, "");
    const replaced = forms.filter((form) => form !== own && form !== `${own}.git`);
    const lines = [
      `${head}.`,
      ...(replaced.length > 0 ? [section(best.url)] : []),
      ...replaced.map((url) => `\tinsteadOf = ${quoted(url)}`),
      ...replaced.flatMap((url) => [section(url), `\tpushInsteadOf = ${quoted(url)}`]),
    ];
    return `${lines.join("\n")}\n`;
  },
};

function section(url: string): string {
  return `[url ${quoted(url)}]`;
}

/** Returns a text in double quotes, as Git reads it in subsections and values (git-config(1), "Syntax"). */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
