// Made from src/action/check.ts by `npx vitest run -u`. Do not edit.
var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res, err) => function() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: !0 });
};

// src/client/signature.ts
var signature_exports = {};
__export(signature_exports, {
  parsePublicKeys: () => parsePublicKeys,
  verifySums: () => verifySums
});
async function verifySums(publicKey, sums, signature) {
  let [untrusted = "", main = "", comment = "", global = ""] = signature.split(/\r?\n/), [, trusted = "", site_url = "", run = "", generated_at = "", expires_at = ""] = commentPattern.exec(comment) ?? [], bytes = fromBase64(main), signed = bytes.slice(10), key = parsePublicKeys(publicKey).find((one) => headOf(one) === headOf(bytes));
  if (key === void 0 || !untrusted.startsWith("untrusted comment: ") || trusted === "") return;
  let digests = parseSums(sums), isSigned = await Promise.all([
    isSignedBy(key, signed, encoder.encode(sums)),
    isSignedBy(key, fromBase64(global), new Uint8Array([...signed, ...encoder.encode(trusted)]))
  ]);
  if (!(digests === void 0 || isSigned.includes(!1)))
    return {
      /** The fields of the heartbeat that the trusted comment repeats. */
      heartbeat: { site_url, run, generated_at, expires_at },
      /**
       * Whether the signed document at a path such as `v1/report/index.json` has exactly this text or, if `text` is
       * undefined, whether there is no such document.
       */
      has: async (path, text) => digests.get(path) === (text === void 0 ? void 0 : await sha256(text))
    };
}
function parsePublicKeys(text) {
  let keys = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("untrusted comment:")).map(fromBase64);
  if (keys.length === 0 || keys.some((key) => key.length !== 42 || key[0] !== 69 || key[1] !== 100))
    throw new TypeError("Invalid publicKey");
  return keys;
}
function headOf(bytes) {
  return bytes.slice(0, 10).join();
}
async function isSignedBy(key, signature, signed) {
  let imported = await crypto.subtle.importKey("raw", key.slice(10), "Ed25519", !1, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signature, signed);
}
function parseSums(text) {
  let lines = text.replace(/\n$/, "").split(`
`), found = lines.flatMap((line) => [...line.matchAll(/^([\da-f]{64}) [ *](.+)$/g)]), digests = new Map(found.map(([, digest = "", path = ""]) => [path, digest]));
  return digests.size === lines.length ? digests : void 0;
}
async function sha256(text) {
  let digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function fromBase64(text) {
  let isBase64 = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(text) && !text.includes("_");
  return Uint8Array.from(isBase64 ? atob(text) : "", (character) => character.charCodeAt(0));
}
var encoder, commentPattern, init_signature = __esm({
  "src/client/signature.ts"() {
    "use strict";
    encoder = new TextEncoder(), commentPattern = /^trusted comment: (feed:(\S+)\trun:(\S+)\tgenerated_at:(\S+)\texpires_at:(\S+))$/;
  }
});

// src/action/check.ts
import { spawnSync } from "node:child_process";
import { appendFileSync, writeSync } from "node:fs";
import { env, execPath, exit } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

// src/client/request.ts
var Unusable = class extends Error {
  reason;
  constructor(reason, cause) {
    super(reason, { cause }), this.reason = reason;
  }
}, maxBytes = 2e6, maxRedirects = 5;
async function get(url2, fetch2, signal) {
  try {
    return signal.throwIfAborted(), await follow(url2, fetch2, signal);
  } catch (cause) {
    throw signal.aborted ? signal.reason : cause instanceof Unusable ? cause : new Unusable("no_answer", cause);
  }
}
function fieldsOf(value) {
  return { ...typeof value == "object" && value };
}
async function follow(start, fetch2, signal) {
  let headers = { accept: "application/json" }, url2 = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    let response = await fetch2(url2, { headers, signal, redirect: "manual" });
    response.type === "opaqueredirect" && (response = await fetch2(url2, { headers, signal }));
    let { status } = response;
    if (!/30[12378]/.test(`${status}`)) return { status, ...await read(response) };
    url2 = nextHop(url2, response.headers.get("location") ?? "");
  }
  throw new Unusable("redirect");
}
function nextHop(from, location) {
  if (URL.canParse(location, from)) {
    let { protocol, href } = new URL(location, from);
    if (urlPattern.test(href) && (protocol === "https:" || from.startsWith(protocol))) return href;
  }
  throw new Unusable("redirect");
}
async function read({ body }) {
  let reader = body?.getReader(), decoder = new TextDecoder(), text = "";
  for (let size = 0; size <= maxBytes; ) {
    let value = (await reader?.read())?.value;
    if (value === void 0)
      return text += decoder.decode(), { text, document: parse(text) };
    size += value.length, text += decoder.decode(value, { stream: !0 });
  }
  let document = parse(`${text.split(',"nodes":[', 1).join()}}`);
  if ("expires_at" in document) return { text: void 0, document };
  throw new Unusable("too_large");
}
function parse(text) {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
var urlPattern = /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.~:/?@!$&'()*+,;=%-]{0,2000})?$/i, targetPattern = /^(?!(.*\/)?\.+(\/|$))[\w.~-]{1,100}(\/[\w.~-]{1,100}){2}$/, maxTimeoutMs = 2e9;
function parseSiteUrl(url2, target, options2) {
  let { timeoutMs = 1, maxAgeMs = 0, maxStaleMs = 0, site = url2 } = options2, { min = 1, country = "DE", exclude = [] } = options2, href = withSlash(url2), valid = {
    url: urlPattern.test(href) && !/\?/.test(href),
    target: targetPattern.test(target),
    site: urlPattern.test(site) && URL.canParse(site),
    timeoutMs: timeoutMs > 0 && timeoutMs <= maxTimeoutMs,
    maxAgeMs: maxAgeMs >= 0,
    maxStaleMs: maxStaleMs >= 0,
    min: min > 0 && min % 1 === 0,
    country: /^[a-z]{2}$/i.test(country),
    // `isAtHost` rejects other invalid hosts.
    exclude: Array.isArray(exclude) && !/[\s/?#@\\]/.test(exclude.join())
  };
  for (let name in valid) if (!valid[name]) throw new TypeError(`Invalid ${name}`);
  return href;
}
function withSlash(url2) {
  return new URL(url2).href.replace(/\/*$/, "/");
}

// src/core/contract/contract.ts
var errorDocuments = {
  system: { error: "System not found", code: 403 },
  project: { error: "Project not found", code: 403 },
  target: { error: "Target not found", code: 403 },
  status: { error: "Invalid status provided", code: 400 },
  method: { error: "Method not allowed", code: 405 },
  "not-found": { error: "Not found", code: 404 }
};
var pagePattern = String.raw`(?!(?:v1|errors)(?:/|\z))(?:[^/]*/)*(?:[^./]*|[^/]*\.html)\z`;

// src/core/verdict/mirror-state.ts
var mirrorStates = [
  "offline",
  "wrong",
  "differs",
  "behind",
  "maintenance",
  "unknown",
  "online"
];

// src/core/verdict/rank.ts
var freshnesses = ["in_sync", "behind", "unknown", "differs"];
function rank(mirrors2, at, country) {
  return mirrors2.map((mirror2) => ({ mirror: mirror2, keys: keysOf(mirror2, at, country) })).sort((one, other) => compare(one.keys, other.keys)).map(({ mirror: mirror2 }) => mirror2);
}
function spread(ranked, random, at, country) {
  let classOf = (mirror2) => keysOf(mirror2, at, country).slice(0, -2).join(), best = ranked.filter((mirror2, _, [first = mirror2]) => classOf(mirror2) === classOf(first)), left = random * best.reduce((sum, { weight = 1 }) => sum + weight, 0), drawn = best.filter(({ weight = 1 }) => (left -= weight) < 0);
  return [.../* @__PURE__ */ new Set([...drawn, ...ranked])];
}
var hourMs = 36e5;
function keysOf(mirror2, at, country) {
  return [
    -mirror2.status,
    mirror2.content_code ? 1 : 0,
    mirror2.unverified_since || mirror2.state === "unknown" ? 1 : 0,
    mirror2.maintenance ? 1 : 0,
    mirror2.notice ? 1 : 0,
    ...freshnessKeys(mirror2, Date.parse(at)),
    unsteadiness(mirror2, Date.parse(at)),
    country && mirror2.country !== country ? 1 : 0,
    // Differences of a few milliseconds must not reorder the mirrors every day.
    Math.floor(Math.log2(Math.max(1, mirror2.mean_latency_ms ?? 1 / 0))),
    mirror2.primary ? 0 : 1
  ];
}
function freshnessKeys({ state, freshness, behind_since }, at) {
  if (freshness === "differs") return [4, 0];
  if (freshness !== "behind") return [freshness === "in_sync" ? 0 : 2, 0];
  let since = Date.parse(behind_since ?? "") || 0;
  return at - since < hourMs ? [0, 0] : state === "online" ? [1, 0] : [3, -since];
}
function unsteadiness({ status, since, uptime }, at) {
  let ratio = uptime?.["7d"].ratio ?? 1, steps = [0.99, 0.95, 0.8].filter((step) => ratio < step).length;
  return status === 1 && at - Date.parse(since ?? "") < 6 * hourMs ? steps + 1 : steps;
}
function compare(left, right) {
  return left.map((value, key) => value - (right[key] ?? 0)).find(Boolean) ?? 0;
}

// src/client/documents.ts
function parseTarget({ status, document }, path) {
  if (status === 200)
    return "error" in document ? void 0 : parseNetwork(document, path, parseNode)?.flat();
  let { message, error = message, code } = document, known = ["system", "project", "target"].find((level2) => errorDocuments[level2].error === error), isUnknown = error === errorDocuments["not-found"].error && code === 404, level = known ?? (isUnknown ? "unknown" : void 0);
  return level && (status === 403 || status === 404) ? { outcome: "not_found", level } : void 0;
}
function parseHeartbeat({ generated_at, expires_at, prober, site_url }, { now = Date.now, maxAgeMs = 1 / 0, maxStaleMs = 0, previous = {}, site }) {
  let isUrl = typeof site_url == "string" && urlPattern.test(site_url), wanted2 = site ?? previous.site_url;
  if (wanted2 && !(isUrl && withSlash(wanted2) === withSlash(site_url))) throw new Unusable("other_site");
  if (generated_at === void 0 && expires_at === void 0) {
    if (maxAgeMs < 1 / 0) throw new Unusable("no_report");
    return;
  }
  let { state } = fieldsOf(prober);
  if (typeof state != "string" || !isTimestamp(generated_at) || !isTimestamp(expires_at))
    throw new Unusable("not_contract");
  let staleMs = now() - Date.parse(expires_at);
  if (staleMs >= 0 && staleMs >= maxStaleMs) throw new Unusable("expired");
  let age = now() - Date.parse(generated_at);
  if (age > maxAgeMs) throw new Unusable("too_old");
  if (age < -3e5) throw new Unusable("ahead");
  if (state === "offline") throw new Unusable("prober_offline");
  if (previous.generated_at && Date.parse(generated_at) < Date.parse(previous.generated_at))
    throw new Unusable("older");
  return { generated_at, expires_at, ...isUrl && { site_url }, ...staleMs >= 0 && { stale: !0 } };
}
function describe(mirrors2, document, path) {
  let reports = parseNetwork(document, path, (node) => {
    let { id, freshness: text, since, behind_since, unverified_since, maintenance, notice } = node, { content_code, revision: revision2, mean_latency_ms, uptime, kind, options: options2, country, weight } = node;
    if (typeof text != "string") return;
    let state = mirrorStates.find((one) => one === node.state), freshness = freshnesses.find((one) => one === text) ?? "unknown", { ratio } = fieldsOf(fieldsOf(uptime)["7d"]), mirror2 = {
      ...state && { state },
      ...isTimestamp(since) && { since },
      freshness,
      ...isTimestamp(behind_since) && { behind_since },
      ...typeof content_code == "string" && /^\w{1,64}$/.test(content_code) && { content_code },
      ...typeof revision2 == "string" && /^[!-~]{1,64}$/.test(revision2) && { revision: revision2 },
      ...freshness === "unknown" && { freshness_reason: reasonOf(node, document) },
      ...isTimestamp(unverified_since) && { unverified_since },
      ...typeof mean_latency_ms == "number" && { mean_latency_ms },
      ...typeof ratio == "number" && { uptime: { "7d": { ratio } } },
      ...id === document.primary && { primary: !0 },
      ...maintenance !== void 0 && { maintenance: !0 },
      ...notice !== void 0 && { notice: !0 },
      ...typeof kind == "string" && { kind, options: fieldsOf(options2) },
      ...typeof country == "string" && { country },
      ...typeof weight == "number" && { weight: Math.max(0, weight) }
    };
    return [id, mirror2];
  }), byId = new Map(reports);
  return reports && mirrors2.map((mirror2) => ({ ...mirror2, ...byId.get(mirror2.id) }));
}
function reasonOf({ freshness, revision: revision2, branch }, { reference }) {
  return freshness !== "unknown" ? "undecided" : reference === void 0 ? "no_reference" : revision2 === void 0 ? "no_revision" : branch === fieldsOf(reference).branch ? "undecided" : "other_branch";
}
function parseNode({ id, name, url: url2, status }) {
  if (!(!(typeof id == "number" && id % 1 === 0 && typeof name == "string") || status !== 0 && status !== 1 || typeof url2 != "string"))
    return urlPattern.test(url2) && URL.canParse(url2) ? [{ id, name, url: url2, status }] : [];
}
function isTimestamp(value) {
  return typeof value == "string" && /^\d{4}-[\d-]+T[\d:.]+Z$/.test(value) && Date.parse(value) > 0;
}
function parseNetwork({ target, network }, path, parse2) {
  if (path.split("/")[2] !== target || !Array.isArray(network)) return;
  let all = network.map((node) => parse2(fieldsOf(node)));
  return all.every((one) => one !== void 0) ? all : void 0;
}
function isAtHost(text, mirror2) {
  let { protocol, host, hostname } = new URL(mirror2.url);
  return [host, hostname].includes(new URL(`${protocol}//${text}`).host);
}

// src/client/read-feed.ts
async function readFirst(urls, target, options2) {
  let feeds = [urls].flat().map((url2) => parseSiteUrl(url2, target, options2)), site = options2.site ?? (options2.publicKey && feeds[0]);
  return firstCurrent(feeds, (feed) => readFeed(feed, target, { ...options2, site }));
}
async function readFeed(feed, target, options2) {
  let { timeoutMs = 5e3, fetch: asking = fetch, signal, publicKey } = options2, ending = new AbortController(), ended = AbortSignal.any([ending.signal, ...signal ? [signal] : []]), timer = setTimeout(() => {
    ending.abort(new Unusable("timeout"));
  }, timeoutMs), request = async (fetch2) => {
    let getAny = (path) => get(feed + path, fetch2, AbortSignal.any([ended])), getDocument = publicKey === void 0 ? getAny : requireSignature(publicKey, getAny);
    try {
      return await requestAll(getDocument, target, options2);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      let { reason, cause } = error;
      return { outcome: "unknown", reason, cause };
    }
  };
  try {
    let result = await request(asking);
    return result.reason?.startsWith("bad_") ? await request((url2, init) => asking(url2, { ...init, cache: "reload" })) : result;
  } finally {
    clearTimeout(timer), ending.abort();
  }
}
async function requestAll(getDocument, path, options2) {
  let pendingTarget = requestTarget(getDocument, path), pendingHeartbeat = requestReport(getDocument, ""), pendingReport = requestReport(getDocument, `${path}/`);
  for (let one of [pendingHeartbeat, pendingReport]) one.catch(() => {
  });
  let found = await pendingTarget, heartbeat = parseHeartbeat(await pendingHeartbeat, options2);
  if ("outcome" in found) return { ...found, ...heartbeat };
  let report = await (options2.fresh || options2.publicKey !== void 0 ? pendingReport : pendingReport.catch(() => ({}))), described = describe(found, report, path);
  if (options2.fresh && !described) throw new Unusable("no_report");
  return { mirrors: rank(described ?? found, heartbeat?.generated_at ?? ""), ...heartbeat };
}
async function requestTarget(getDocument, path) {
  let first = await getDocument(`v1/network/${path}/`), found = parseTarget(first, path) ?? parseTarget(await getDocument(`v1/network/${path}`), path);
  if (found !== void 0) return found;
  throw new Unusable(first.status === 200 ? "not_contract" : "http_status");
}
async function requestReport(getDocument, path) {
  let { status, document } = await getDocument(`v1/report/${path}`);
  if (/408|429|50[234]/.test(`${status}`)) throw new Unusable("http_status");
  if (status === 200 && !Object.keys(document)[0]) throw new Unusable("not_contract");
  return status === 200 ? document : {};
}
function requireSignature(publicKey, get2) {
  let pending = requestSignature(publicKey, get2);
  return pending.catch(() => {
  }), async (path) => {
    let answer = await get2(path), { status, text, document } = answer, signed = await pending, isFound = status === 200;
    if (isFound && text === void 0) throw new Unusable("too_large");
    let file = `${path.replace(/\/$/, "")}/index.json`;
    if (!await signed.has(file, isFound ? text : void 0))
      throw new Unusable(isFound ? "bad_digest" : "http_status");
    if ((file === "v1/report/index.json" ? Object.entries(signed.heartbeat) : []).some(([name, value]) => document[name] !== value)) throw new Unusable("bad_signature");
    return answer;
  };
}
async function requestSignature(publicKey, get2) {
  let [{ verifySums: verifySums2 }, ...answers] = await Promise.all([
    Promise.resolve().then(() => (init_signature(), signature_exports)),
    get2("SHA256SUMS"),
    get2("SHA256SUMS.minisig")
  ]);
  if (answers.some(({ status }) => status >= 429)) throw new Unusable("http_status");
  let [sums, signature] = answers.map(({ status, text }) => status === 200 ? text : void 0);
  if (!sums || !signature) throw new Unusable("unsigned");
  let signed = await verifySums2(publicKey, sums, signature);
  if (!signed) throw new Unusable("bad_signature");
  return signed;
}
async function firstCurrent(urls, ask) {
  let failed = [], passed_over = [];
  for (let url2 of urls) {
    let result = await ask(url2);
    if (isCurrent(result)) return passed_over[0] ? { ...result, passed_over } : result;
    failed.push(result);
    let { reason = "http_status", stale, cause } = result;
    passed_over.push({ url: url2, reason: stale ? "expired" : reason, cause });
  }
  let best = newest(failed) ?? failed.find(({ reason }) => reason) ?? failed[0];
  if (!best) throw new TypeError("Invalid url");
  return passed_over[1] ? { ...best, passed_over } : best;
}
function isCurrent({ outcome: outcome2, level, generated_at, stale }) {
  return outcome2 !== "unknown" && (level !== "unknown" || generated_at !== void 0) && !stale;
}
function newest(all) {
  let timeOf = ({ generated_at = "" }) => Date.parse(generated_at);
  return all.filter((one) => timeOf(one) > 0).sort((one, other) => timeOf(other) - timeOf(one))[0];
}

// src/client/index.ts
async function check(url2, target, options2 = {}) {
  let { min = 1, fresh } = options2, feed = await readFirst(url2, target, options2);
  if ("outcome" in feed) return feed;
  let reachable2 = feed.mirrors.filter(({ status }) => status), isFresh2 = ({ state, freshness, unverified_since }) => freshness === "in_sync" && state !== "wrong" && !unverified_since, count2 = (fresh ? reachable2.filter(isFresh2) : reachable2).length, lacking2 = reachable2.length >= min ? "not_fresh" : "unreachable";
  return { ...feed, outcome: count2 >= min ? "reachable" : lacking2, count: count2, min };
}
async function pick(url2, target, options2 = {}) {
  let { exclude = [], random = Math.random } = options2, feed = await readFirst(url2, target, options2);
  if ("outcome" in feed) return feed;
  let country = options2.country?.toUpperCase(), left = feed.mirrors.filter((mirror3) => !exclude.some((host) => isAtHost(host, mirror3))), { generated_at: at = "" } = feed, ranked = rank(left, at, country), mirrors2 = options2.spread ? spread(ranked, random(), at, country) : ranked, [mirror2] = mirrors2;
  return mirror2?.status !== 1 ? { ...feed, outcome: "unreachable", mirrors: mirrors2 } : { ...feed, outcome: "reachable", mirror: mirror2, mirrors: mirrors2 };
}

// src/client/reasons.ts
var reasonSentences = {
  no_answer: "The feed could not be read.",
  timeout: "The feed did not answer in time.",
  redirect: "The feed redirects in a way that mirrorfeed does not follow.",
  too_large: "The feed's answer is too large.",
  http_status: "The feed answered with an unexpected HTTP status; check its URL, including the path.",
  not_contract: "The answer is not a feed: it does not follow the contract.",
  expired: "The feed has expired: its last run was too long ago to prove anything.",
  too_old: "The feed is older than --max-age allows.",
  ahead: "The feed's date is ahead of this machine's clock; correct whichever clock is wrong.",
  other_site: "The feed belongs to another site; name that first, or with --site, if you trust it.",
  older: "The feed is older than one seen before.",
  prober_offline: "The feed's prober has never reached anything, so its statuses prove nothing.",
  no_report: "This feed publishes no report, so freshness and age are unknown.",
  unsigned: "The feed is not signed, but --public-key requires a signature.",
  bad_signature: "The feed's signature is damaged, or was not made with this key.",
  bad_digest: "A document does not match the feed's signature; this can happen while the host publishes a new feed."
};

// src/core/base/text/time.ts
var minuteMs = 6e4, hourMs2 = 60 * minuteMs, dayMs = 24 * hourMs2;
function parseDuration(text) {
  let [, amount, unit = ""] = /^(\d{1,6})(ms|[smhd])$/.exec(text) ?? [];
  return Number(amount) * (units.get(unit) ?? Number.NaN);
}
var units = new Map(Object.entries({ ms: 1, s: 1e3, m: minuteMs, h: hourMs2, d: dayMs }));

// src/action/check.ts
function end(exitCode, message, outputs2 = {}) {
  let lines = Object.entries(outputs2).map(([name, value]) => `${name}=${value}
`), file = env.GITHUB_OUTPUT;
  return file !== void 0 && appendFileSync(file, lines.join("")), writeSync(1, `${message}
`), exit(exitCode);
}
function refuse(sentence) {
  return end(2, `::error title=The mirrors were not checked::${sentence}`);
}
function input(name) {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}
function readText(name, pattern, rule) {
  let text = input(name);
  return pattern.test(text) ? text : refuse(`${name} must ${rule}.`);
}
function readFlag(name) {
  return readText(name, /^(true|false)$/, "be true or false") === "true";
}
function readDuration(name) {
  let text = input(name);
  if (text === "") return;
  let ms = parseDuration(text);
  return Number.isNaN(ms) ? refuse(`${name} must be a duration such as 500ms, 5s, 30m or 1h.`) : ms;
}
var proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
if (env.NODE_USE_ENV_PROXY === void 0 && proxies.some((name) => env[name])) {
  let environment = { ...env, NODE_USE_ENV_PROXY: "1" }, { status } = spawnSync(execPath, [import.meta.filename], { stdio: "inherit", env: environment });
  exit(status ?? 70);
}
var revision = readText("revision", /^([!-~]{7,64})?$/, "have 7 to 64 characters and no spaces"), isFresh = readFlag("fresh");
isFresh && revision !== "" && refuse("revision and fresh cannot be combined; leave one out.");
var waitMs = readDuration("wait") ?? 0, options = {
  min: Number(readText("min", /^[1-9]\d{0,3}$/, "be a number from 1 to 9999")),
  // Only the report has the mirrors' revisions, and `fresh` makes the client require the report.
  fresh: isFresh || revision !== "",
  maxAgeMs: readDuration("max-age"),
  timeoutMs: readDuration("timeout"),
  publicKey: input("public-key") || void 0,
  site: input("site") || void 0,
  country: input("country") || void 0,
  exclude: input("exclude").split(/[\s,]+/).filter(Boolean)
}, isFailOpen = readFlag("fail-open"), fallback = readText("fallback", /^([\w/][!-~]*)?$/, "be a URL without spaces");
function query() {
  let [urls, target] = [input("url").split(/\s+/), input("target")];
  return Promise.all([check(urls, target, options), pick(urls, target, options)]).catch((error) => {
    if (!(error instanceof TypeError)) throw error;
    return refuse(
      `${error.message}. Set url to one or more feed URLs, target to system/project/target, public-key to the text of mirrorfeed.pub, site to the URL of the site, country to two letters such as DE, and exclude to hosts such as github.com.`
    );
  });
}
function isWanted({ status, state, maintenance, revision: found = "" }) {
  let hasRevision = state !== "wrong" && !maintenance && found.startsWith(revision);
  return status === 1 && (revision === "" || hasRevision);
}
function countOf({ count: count2 = 0, mirrors: mirrors2 = [] }) {
  return revision === "" ? count2 : mirrors2.filter(isWanted).length;
}
async function queryUntilEnough() {
  let endsAt = Date.now() + waitMs;
  for (let pauseMs = 6e4; ; pauseMs = Math.min(2 * pauseMs, 6e5)) {
    let results = await query(), [{ outcome: outcome2 }] = results, leftMs = endsAt - Date.now();
    if (outcome2 === "not_found" || countOf(results[0]) >= options.min || leftMs <= 0) return results;
    await sleep(Math.min(pauseMs, leftMs));
  }
}
var [checked, picked] = await queryUntilEnough(), mirror = picked.mirrors?.find(isWanted), url = mirror?.url ?? fallback;
function fail(exitCode, title, sentence, outputs2) {
  let isReplaced = mirror === void 0 && fallback !== "", code = isReplaced ? 0 : exitCode;
  return end(code, `::${code === 0 ? "warning" : "error"} title=${title}::${sentence}${isReplaced ? " The fallback is used instead." : ""}`, { ...outputs2, url });
}
function reasonSentence(reason) {
  return reasonSentences[reason].replaceAll("--", "");
}
var passedOver = [checked, picked].flatMap(({ passed_over = [] }) => passed_over);
for (let line of new Set(passedOver.map((feed) => `${feed.url}: ${reasonSentence(feed.reason)}`)))
  writeSync(1, `::warning title=A feed was passed over::${line}
`);
for (let { outcome: outcome2, reason, passed_over } of [checked, picked]) {
  if (outcome2 === "unknown") {
    let sentence = passed_over ? "None of the feeds can be used." : reasonSentence(reason);
    fail(isFailOpen ? 0 : 4, "The mirrors are unknown", sentence, { outcome: outcome2, reason });
  }
  outcome2 === "not_found" && fail(2, "There are no such mirrors", "The feed has no such system, project or target.", { outcome: outcome2 });
}
var { mirrors = [] } = checked, count = countOf(checked), reachable = mirrors.filter(({ status }) => status === 1).length, lacking = reachable < options.min ? "unreachable" : "not_fresh", outcome = count < options.min ? lacking : "reachable", outputs = { outcome, reachable: String(outcome === "reachable"), count, url }, wanted = revision === "" ? `reachable${isFresh ? " and in sync" : ""}` : "reachable with this revision", summary = `${count} of ${mirrors.length} mirrors ${wanted}`;
outcome !== "reachable" && fail(1, "Too few mirrors", `${summary}; at least ${options.min} must be.`, outputs);
mirror === void 0 && fail(1, "Too few mirrors", `${summary}, but the exclude input leaves out all of them.`, outputs);
end(0, `${summary}.`, outputs);
