import { type MirrorState, mirrorStates } from "../../core/verdict/mirror-state.ts";

export type StateName = MirrorState | "certificate";

/** Worst first. `certificate` means that the certificate expires soon, whatever the mirror's state. */
export const searchedStates: readonly StateName[] = mirrorStates.flatMap((state): StateName[] =>
  state === "maintenance" ? ["certificate", state] : [state],
);

/** A mirror's state, wherever it is listed. */
export const stateWords: Readonly<Record<StateName, string>> = {
  offline: "Offline",
  wrong: "Wrong",
  differs: "Differs",
  behind: "Behind",
  certificate: "Certificate expires",
  maintenance: "Maintenance",
  unknown: "Unknown",
  online: "Online",
};

export const sorts = ["state", "uptime", "latency", "name"] as const;

export type Sort = (typeof sorts)[number];

export type Filter = Readonly<ReturnType<typeof parseFilter>>;

export const noFilter = parseFilter("");

/** Parses the query of a URL, such as `?q=git&state=offline,behind&country=DE&sort=name`. */
export function parseFilter(search: string) {
  const parameters = new URLSearchParams(search);
  const sort = parameters.get("sort");
  return {
    query: parameters.get("q") ?? "",
    states: (parameters.get("state") ?? "").split(",").filter((state) => state !== ""),
    country: parameters.get("country") ?? "",
    sort: sorts.find((one) => one === sort),
  };
}

/** Returns the query of a URL, or an empty string if the filter does nothing. */
export function formatFilter({ query, states, country, sort }: Filter): string {
  const parameters = [
    ["q", query.trim() && encodeURIComponent(query)],
    ["state", states.join()],
    ["country", encodeURIComponent(country)],
    ["sort", sort],
  ].filter(([, value]) => value);
  return parameters.length === 0 ? "" : `?${parameters.map((parameter) => parameter.join("=")).join("&")}`;
}
