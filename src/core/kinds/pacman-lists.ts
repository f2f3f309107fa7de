import { jsonText } from "../contract/contract.ts";
import type { KindOptions, ListedMirror, ListInput, MirrorList } from "./kind.ts";

export const usualDatabase = "core/os/x86_64/core.db";

export const pacmanList: MirrorList = {
  extension: "conf",
  type: "text/plain",
  tool: "pacman",
  title: "Mirrors for pacman, best first",
  description:
    "A file for pacman's `Include`, with `Server = …` for each mirror: its URL and the folders of `pacman.database`, with `$repo` and `$arch` for the repository and the architecture.",
  usage: {
    title: "Update pacman's mirror list",
    line: (url) => `curl -fsSL ${url} -o /etc/pacman.d/mirrorlist`,
  },
  render: ({ mirrors, comment }) =>
    [
      `# ${comment}\n`,
      ...mirrors.map(({ url, options }) => `Server = ${[plainUrl(url), ...layoutOf(options)].join("/")}\n`),
    ].join(""),
};

/** Version 3, as in archweb (mirrors/utils.py). The tools accept no null for countries and booleans. */
export const mirrorStatus: MirrorList = {
  extension: "json",
  type: "application/json",
  tool: "reflector",
  title: "Mirrors for reflector and rate-mirrors, best first",
  description:
    "Arch Linux's mirror status (`/mirrors/status/json/`), version 3. `last_sync`, `delay` and `score` are null for mirrors that are offline or have wrong content, so that tools skip them. `last_check` is the time of the last run, rounded down to the hour. `isos` is always false. `ipv4` and `ipv6` are true if the last check over that family succeeded. For hosts without both IPv4 and IPv6 addresses, they are always false.",
  usage: {
    title: "Update pacman's mirror list with reflector",
    line: (url) => `reflector --url ${url} --save /etc/pacman.d/mirrorlist`,
  },
  isFor: (options) => layoutOf(options).join("/") === "$repo/os/$arch",
  render: (input) => {
    const { mirrors, checkedAt, intervalMinutes, page = "" } = input;
    const frequency = Math.round(intervalMinutes * 60);
    return jsonText({
      cutoff: daySeconds,
      last_check: withoutFraction(checkedAt),
      num_checks: Math.max(1, Math.round(daySeconds / frequency)),
      check_frequency: frequency,
      urls: mirrors.map((mirror) => ({ ...statusOf(mirror, input), details: page })),
      version: 3,
    });
  },
};

const daySeconds = 86_400;

function statusOf(mirror: ListedMirror, input: ListInput) {
  const { url, country = "", state, uptime, mean_latency_ms, families } = mirror;
  const completion = uptime?.["24h"].ratio;
  const duration = mean_latency_ms && mean_latency_ms / 1000;
  return {
    url: `${plainUrl(url)}/`,
    protocol: url.slice(0, url.indexOf(":")),
    ...syncOf(mirror, input, completion, duration),
    completion_pct: completion ?? null,
    duration_avg: duration ?? null,
    duration_stddev: null,
    active: state !== "maintenance",
    country: country && new Intl.DisplayNames(["en"], { type: "region" }).of(country),
    country_code: country,
    isos: false,
    ipv4: families?.ipv4 === "ok",
    ipv6: families?.ipv6 === "ok",
  };
}

function syncOf(mirror: ListedMirror, input: ListInput, completion: number | undefined, duration = 0) {
  const syncedAt = lastSync(mirror, input);
  if (completion === undefined || syncedAt === undefined)
    return { last_sync: null, delay: null, score: null };
  const delay = Math.round((Date.parse(input.checkedAt) - Date.parse(syncedAt)) / 1000);
  const score = (delay / 3600 + duration) / Math.max(completion, 0.005);
  return { last_sync: withoutFraction(syncedAt), delay, score };
}

/** If a mirror is behind, it was last in sync when the reference's content was made, even if noticed later. */
function lastSync(mirror: ListedMirror, { checkedAt, reference }: ListInput): string | undefined {
  const { status, state, freshness, behind_since, content_at } = mirror;
  if (status === 0 || state === "wrong" || state === "unknown") return undefined;
  if (freshness === "in_sync") return checkedAt;
  const times = freshness === "behind" ? [behind_since, reference?.content_at] : [content_at];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : [checkedAt, ...known].sort()[0];
}

/** reflector accepts no fractions of a second. */
function withoutFraction(timestamp: string): string {
  return timestamp.replace(/\.\d+Z$/, "Z");
}

/** Some architectures have a level, as in x86_64_v3. */
const architecture =
  /^(?:x86_64|i[3-6]86|pentium4|aarch64|armv?\d\w*|riscv64|loong(?:arch)?64)(?=(?:_v\d)?$)/;

/** Returns a repository's folders below the mirror's URL, or none if the URL is that of a single repository. */
function layoutOf({ database = usualDatabase }: KindOptions): string[] {
  const folders = String(database).split("/");
  const repository = folders.pop()?.replace(/\.db$/, "");
  return folders.map((folder) => (folder === repository ? "$repo" : folder.replace(architecture, "$$arch")));
}

/** Removes final slashes, and encodes `$` so that pacman finds no variables. */
function plainUrl(url: string): string {
  return url.replace(/\/+$/, "").replaceAll("$", "%24");
}
