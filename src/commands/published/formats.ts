import type { Mirror } from "../../client/index.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { shellWord } from "../../base/text/quote.ts";

type Environment = CommandContext["environment"];

export interface Choice {
  readonly mirror: Mirror | undefined;
  /** All mirrors that are not excluded, best first. */
  readonly mirrors: readonly Mirror[];
  /** Printed if there is no `mirror`. */
  readonly fallback: string | undefined;
  /**
   * The URL that Git replaces with the URL of a mirror. Only the user may name it, because a feed that
   * named it could redirect any URL.
   */
  readonly canonical: string | undefined;
}

/** Returns an empty string if there is nothing to print. */
export function formatChoice(
  { mirror, mirrors, fallback, canonical }: Choice,
  format: "url" | "list" | "env" | "git",
  environment: Environment,
): string {
  const chosen = mirror?.url ?? fallback;
  const urls = mirrors.map(({ url }) => url);
  switch (format) {
    case "url":
      return chosen ?? "";
    case "list": {
      const first = mirror === undefined && fallback !== undefined ? [fallback] : [];
      return [...first, ...urls.filter((url) => !first.includes(url))].join("\n");
    }
    case "git":
      return chosen === undefined || canonical === undefined ? "" : gitSetting(chosen, canonical);
    case "env": {
      // Lines for $GITHUB_ENV, $GITHUB_OUTPUT and `export`. Values contain no line breaks, and pick has skipped mirrors
      // with characters that a shell acts on.
      const pairs = [["MIRRORFEED_COUNT", String(mirrors.filter(({ status }) => status === 1).length)]];
      if (chosen !== undefined) pairs.push(["MIRRORFEED_URL", chosen]);
      if (chosen !== undefined && canonical !== undefined)
        pairs.push(...gitVariables(chosen, canonical, environment));
      return pairs.map((pair) => pair.join("=")).join("\n");
    }
  }
}

/**
 * Returns POSIX shell lines that remove earlier settings for the canonical URL, and then make Git use the mirror
 * instead. If the mirror is the canonical URL, the lines only remove settings.
 */
export function gitSetting(mirror: string, canonical: string): string {
  const exactly = shellWord(`^${canonical.replaceAll(/[.[\\()*+?{|^$]/g, "\\$&")}$`);
  const known = `git config --global --name-only --get-regexp '^url\\..*\\.insteadof$' ${exactly}`;
  const takeBack = `git config --global --unset-all "$key" ${exactly} || :`;
  const set = `git config --global --add ${shellWord(`url.${mirror}.insteadOf`)} ${shellWord(canonical)}`;
  return [
    `{ ${known} || :; } | while IFS= read -r key; do ${takeBack}; done`,
    ...(mirror === canonical ? [] : [set]),
  ].join("\n");
}

/**
 * Returns environment variables that do the same as `gitSetting`, but only for one process and its children. They
 * overwrite an earlier setting for the canonical URL, or are added to the settings that GIT_CONFIG_COUNT counts
 * (git-config(1)). If the mirror is the canonical URL, Git replaces that URL with itself.
 */
export function gitVariables(
  mirror: string,
  canonical: string,
  environment: Environment,
): [name: string, value: string][] {
  const counted = environment["GIT_CONFIG_COUNT"] ?? "";
  const count = /^\d{1,4}$/.test(counted) ? Number(counted) : 0;
  const known = Array.from({ length: count }, (_, index) => index).find(
    (index) =>
      environment[`GIT_CONFIG_VALUE_${index}`] === canonical &&
      /^url\..*\.insteadof$/i.test(environment[`GIT_CONFIG_KEY_${index}`] ?? ""),
  );
  const index = known ?? count;
  return [
    ["GIT_CONFIG_COUNT", String(Math.max(count, index + 1))],
    [`GIT_CONFIG_KEY_${index}`, `url.${mirror}.insteadOf`],
    [`GIT_CONFIG_VALUE_${index}`, canonical],
  ];
}
