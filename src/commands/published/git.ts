import type { CommandContext } from "../../base/terminal/context.ts";
import { shellWord } from "../../base/text/quote.ts";

/**
 * Returns lines for a POSIX shell that make Git use a mirror instead of the canonical URL, and remove earlier such
 * settings. If the mirror is the canonical URL, they only remove.
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
 * Returns the same for one process and its children, as GIT_CONFIG_COUNT variables (git-config(1)) after those of the
 * environment. If the mirror is the canonical URL, it replaces itself.
 */
export function gitVariables(
  mirror: string,
  canonical: string,
  environment: CommandContext["environment"],
): [name: string, value: string][] {
  const count = /^\d{1,4}$/.test(environment["GIT_CONFIG_COUNT"] ?? "")
    ? Number(environment["GIT_CONFIG_COUNT"])
    : 0;
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
