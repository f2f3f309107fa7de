import { urlPattern, withSlash } from "./arguments.ts";
import type { FeedOptions, Heartbeat, NotFound } from "./interface.ts";
import { errorDocuments } from "../core/contract/contract.ts";
import { mirrorStates } from "../core/verdict/mirror-state.ts";
import { type Freshness, freshnesses, type Rankable } from "../core/verdict/rank.ts";
import { type Answer, type Fields, fieldsOf, Unusable } from "./request.ts";

/**
 * Why `freshness` is `unknown`. `no_reference`: the target has no reference. `no_revision`: the mirror's revision was
 * never read. `other_branch`: the mirror's HEAD names a different branch from the reference's HEAD. `undecided`: the
 * feed cannot tell yet, or this version of the client does not know the freshness that the feed gives.
 */
export type FreshnessReason = "no_reference" | "no_revision" | "other_branch" | "undecided";

/** A mirror according to the feed. All fields but `id`, `name`, `url` and `status` come from its report. */
export interface Mirror extends Rankable {
  readonly id: number;
  /** Untrusted text: not safe to print or to show as HTML. */
  readonly name: string;
  /** An HTTP or HTTPS URL without credentials, in the characters that RFC 3986 allows. */
  readonly url: string;
  readonly freshness?: Freshness;
  /** Why the freshness is `unknown`. */
  readonly freshness_reason?: FreshnessReason;
  /** What the mirror has, such as a Git commit; safe to print. */
  readonly revision?: string;
  readonly uptime?: { readonly "7d": { readonly ratio: number } };
  /** The kind of probe, such as `git` or `apt`. */
  readonly kind?: string;
  /** The options for this kind of probe. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly primary?: true;
  readonly maintenance?: true;
  readonly notice?: true;
  /** The weight for `spread`. Defaults to 1. */
  readonly weight?: number;
}

/**
 * Returns a target's mirrors, without those whose URL this version can't use, or that the feed has no such target.
 * Returns undefined if the answer does not follow the contract.
 */
export function parseTarget({ status, document }: Answer, path: string): Mirror[] | NotFound | undefined {
  if (status === 200) {
    const isValid = isOf(path, document) && !("error" in document);
    const nodes = isValid ? parseList(document["network"], parseNode) : undefined;
    return nodes?.filter((node) => node !== "unsupported");
  }
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
  const reports = parseList(document["network"], (node) => {
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
      ...(freshness === "unknown" && {
        freshness_reason: text === "unknown" ? reasonOf(node, document) : "undecided",
      }),
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
  const byId = reports && isOf(path, document) ? new Map(reports) : undefined;
  return byId && mirrors.map((mirror) => ({ ...mirror, ...byId.get(mirror.id) }));
}

function reasonOf({ revision, branch }: Fields, { reference }: Fields): FreshnessReason {
  if (reference === undefined) return "no_reference";
  if (revision === undefined) return "no_revision";
  return branch === fieldsOf(reference)["branch"] ? "undecided" : "other_branch";
}

function isOf(path: string, { target }: Fields): boolean {
  return path.split("/")[2] === target;
}

function parseNode({ id, name, url, status }: Fields): Mirror | "unsupported" | undefined {
  const isValid = typeof id === "number" && id % 1 === 0 && typeof name === "string";
  if (!isValid || (status !== 0 && status !== 1) || typeof url !== "string") return undefined;
  return urlPattern.test(url) && URL.canParse(url) ? { id, name, url, status } : "unsupported";
}

function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-[\d-]+T[\d:.]+Z$/.test(value) && Date.parse(value) > 0;
}

/** Returns the parsed elements of a list, or undefined if it is not a list or an element is invalid. */
function parseList<Read>(list: unknown, read: (fields: Fields) => Read | undefined): Read[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const all = list.map((element) => read(fieldsOf(element)));
  return all.every((one) => one !== undefined) ? all : undefined;
}

/** Throws TypeError if `text` is not a host, with or without a port. */
export function isAtHost(text: string, mirror: Mirror): boolean {
  const { protocol, host, hostname } = new URL(mirror.url);
  return [host, hostname].includes(new URL(`${protocol}//${text}`).host);
}

/**
 * Whether a mirror is online and has the revision `wanted`, which may be abbreviated. False if the mirror has wrong
 * content or is in maintenance.
 */
export function hasRevision({ status, state, maintenance, revision = "" }: Mirror, wanted: string): boolean {
  return status === 1 && state !== "wrong" && !maintenance && revision.startsWith(wanted);
}
