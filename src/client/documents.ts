import { type Answer, type Fields, fieldsOf, Unusable, urlPattern, withSlash } from "./request.ts";
import type { FeedOptions, FreshnessReason, Heartbeat, Mirror, NotFound } from "./interface.ts";
import { errorDocuments } from "../core/contract/contract.ts";
import { mirrorStates } from "../core/verdict/mirror-state.ts";
import { freshnesses } from "../core/verdict/rank.ts";

/** Returns undefined if the answer does not follow the contract. */
export function parseTarget({ status, document }: Answer, path: string): Mirror[] | NotFound | undefined {
  if (status === 200)
    return "error" in document ? undefined : parseNetwork(document, path, parseNode)?.flat();
  const { message, error = message, code } = document;
  const levels = ["system", "project", "target"] as const;
  const known = levels.find((level) => errorDocuments[level].error === error);
  // A host that cannot tell which name is unknown answers “Not found”.
  const isUnknown = error === errorDocuments["not-found"].error && code === 404;
  const level = known ?? (isUnknown ? "unknown" : undefined);
  return level && (status === 403 || status === 404) ? { outcome: "not_found", level } : undefined;
}

/**
 * Returns undefined if the document is not a heartbeat, and no option needs one. Throws Unusable if the heartbeat is
 * invalid, or if the feed is not current, is older than `previous`, belongs to a different site, or has a prober that is
 * offline.
 */
export function parseHeartbeat(
  { generated_at, expires_at, prober, site_url }: Fields,
  { now = Date.now, maxAgeMs = Infinity, maxStaleMs = 0, previous = {}, site }: FeedOptions,
): Heartbeat | undefined {
  const isUrl = typeof site_url === "string" && urlPattern.test(site_url);
  const wanted = site ?? previous.site_url;
  if (wanted && !(isUrl && withSlash(wanted) === withSlash(site_url))) throw new Unusable("other_site");
  if (generated_at === undefined && expires_at === undefined) {
    if (maxAgeMs < Infinity) throw new Unusable("no_report");
    return undefined;
  }
  const { state } = fieldsOf(prober);
  if (typeof state !== "string" || !isTimestamp(generated_at) || !isTimestamp(expires_at))
    throw new Unusable("not_contract");
  const staleMs = now() - Date.parse(expires_at);
  if (staleMs >= 0 && staleMs >= maxStaleMs) throw new Unusable("expired");
  const age = now() - Date.parse(generated_at);
  if (age > maxAgeMs) throw new Unusable("too_old");
  // Allow for clocks that differ by up to five minutes.
  if (age < -300_000) throw new Unusable("ahead");
  // The statuses are unusable only if the prober is offline. Later versions may add other states.
  if (state === "offline") throw new Unusable("prober_offline");
  if (previous.generated_at && Date.parse(generated_at) < Date.parse(previous.generated_at))
    throw new Unusable("older");
  return { generated_at, expires_at, ...(isUrl && { site_url }), ...(staleMs >= 0 && { stale: true }) };
}

/** Adds what the report of `path` (system/project/target) says. Returns undefined if the document is not that report. */
export function describe(mirrors: readonly Mirror[], document: Fields, path: string): Mirror[] | undefined {
  const reports = parseNetwork(document, path, (node) => {
    const { id, freshness: text, since, behind_since, unverified_since, maintenance, notice } = node;
    const { content_code, revision, mean_latency_ms, uptime, kind, options, country, weight } = node;
    if (typeof text !== "string") return undefined;
    const state = mirrorStates.find((one) => one === node["state"]);
    const freshness = freshnesses.find((one) => one === text) ?? "unknown";
    const { ratio } = fieldsOf(fieldsOf(uptime)["7d"]);
    const mirror: Partial<Mirror> = {
      ...(state && { state }),
      ...(isTimestamp(since) && { since }),
      freshness,
      ...(isTimestamp(behind_since) && { behind_since }),
      ...(typeof content_code === "string" && /^\w{1,64}$/.test(content_code) && { content_code }),
      ...(typeof revision === "string" && /^[!-~]{1,64}$/.test(revision) && { revision }),
      ...(freshness === "unknown" && { freshness_reason: reasonOf(node, document) }),
      ...(isTimestamp(unverified_since) && { unverified_since }),
      ...(typeof mean_latency_ms === "number" && { mean_latency_ms }),
      ...(typeof ratio === "number" && { uptime: { "7d": { ratio } } }),
      ...(id === document["primary"] && { primary: true }),
      ...(maintenance !== undefined && { maintenance: true }),
      ...(notice !== undefined && { notice: true }),
      ...(typeof kind === "string" && { kind, options: fieldsOf(options) }),
      ...(typeof country === "string" && { country }),
      ...(typeof weight === "number" && { weight: Math.max(0, weight) }),
    };
    return [id, mirror] as const;
  });
  const byId = new Map(reports);
  return reports && mirrors.map((mirror) => ({ ...mirror, ...byId.get(mirror.id) }));
}

function reasonOf({ freshness, revision, branch }: Fields, { reference }: Fields): FreshnessReason {
  if (freshness !== "unknown") return "undecided";
  if (reference === undefined) return "no_reference";
  if (revision === undefined) return "no_revision";
  return branch === fieldsOf(reference)["branch"] ? "undecided" : "other_branch";
}

/** Returns an empty list for a URL that this version can't use. */
function parseNode({ id, name, url, status }: Fields): Mirror[] | undefined {
  const isValid = typeof id === "number" && id % 1 === 0 && typeof name === "string";
  if (!isValid || (status !== 0 && status !== 1) || typeof url !== "string") return undefined;
  return urlPattern.test(url) && URL.canParse(url) ? [{ id, name, url, status }] : [];
}

function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-[\d-]+T[\d:.]+Z$/.test(value) && Date.parse(value) > 0;
}

/** Returns the parsed nodes of a document, or undefined if one is invalid, or if the document is not that of `path`. */
function parseNetwork<Read>(
  { target, network }: Fields,
  path: string,
  parse: (node: Fields) => Read | undefined,
): Read[] | undefined {
  if (path.split("/")[2] !== target || !Array.isArray(network)) return undefined;
  const all = network.map((node) => parse(fieldsOf(node)));
  return all.every((one) => one !== undefined) ? all : undefined;
}

/** Throws TypeError if `text` is not a host, with or without a port. */
export function isAtHost(text: string, mirror: Mirror): boolean {
  const { protocol, host, hostname } = new URL(mirror.url);
  return [host, hostname].includes(new URL(`${protocol}//${text}`).host);
}
