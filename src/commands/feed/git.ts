import type { Setting } from "../setting.ts";
import { shellWord } from "../shell-word.ts";

/**
 * The lines for a POSIX shell that make git clone and fetch a mirror where the canonical url is asked for, and take back
 * what they set before for this url; where the canonical one is the mirror, they only do the latter.
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
 * The same for one process and its children, as the variables that git reads (git-config(1), GIT_CONFIG_COUNT), behind
 * those that the environment has already. Where the canonical url is the mirror, it is replaced by itself.
 */
export function gitVariables(
  mirror: string,
  canonical: string,
  environment: Setting["environment"],
): [name: string, value: string][] {
  const count = /^\d{1,4}$/.test(environment["GIT_CONFIG_COUNT"] ?? "")
    ? Number(environment["GIT_CONFIG_COUNT"])
    : 0;
  const known = Array.from({ length: count }, (_, place) => place).find(
    (place) =>
      environment[`GIT_CONFIG_VALUE_${place}`] === canonical &&
      /^url\..*\.insteadof$/i.test(environment[`GIT_CONFIG_KEY_${place}`] ?? ""),
  );
  const place = known ?? count;
  return [
    ["GIT_CONFIG_COUNT", String(Math.max(count, place + 1))],
    [`GIT_CONFIG_KEY_${place}`, `url.${mirror}.insteadOf`],
    [`GIT_CONFIG_VALUE_${place}`, canonical],
  ];
}
