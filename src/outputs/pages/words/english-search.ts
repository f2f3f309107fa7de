import { formatCount, formatInteger, percent } from "../../../base/text/count.ts";

/** Every word of the search, which is a script of its own, in English. */
export const englishSearch = {
  label: "Find mirrors by name or URL",
  stateGroup: "Show only these states",
  sort: "Sort by",
  sorts: {
    page: "order of the page",
    state: "worst state",
    uptime: "lowest uptime",
    latency: "lowest latency",
    name: "name",
  },
  found: (found: number, all: number): string => `${formatInteger(found)} of ${formatCount(all, "mirror")}`,
  shown: (shown: number, found: number): string => `${formatInteger(shown)} of ${formatInteger(found)} shown`,
  none: "No mirror matches.",
  clear: "Clear",
  loading: "Loading the mirrors…",
  failed: "The mirrors could not be loaded.",
  uptime: "uptime to midnight UTC",
  percent,
  states: {
    offline: "offline",
    behind: "behind",
    differs: "differs",
    maintenance: "in maintenance",
    certificate: "certificate expires",
    unknown: "no verdict yet",
    online: "online",
  },
};

export type SearchWords = typeof englishSearch;
