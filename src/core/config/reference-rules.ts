import { quote } from "../base/text/quote.ts";
import { parseUrl, withScheme } from "../base/text/url.ts";
import type { JsonPath, Problem } from "./json-document.ts";
import { contactName } from "./notify-rules.ts";
import { type Fields, isObject, type OutlineEntry } from "./outline.ts";

type Located = Pick<OutlineEntry, "path" | "fields">;

/**
 * Reports each object whose value at `key` equals that of an earlier object. `sameKey` returns the same result for
 * values that count as equal, and undefined for values to ignore. `messageOf` gets the value as text and the earlier
 * object's path.
 */
export function repeatProblems(
  objects: readonly Located[],
  key: string,
  sameKey: (value: unknown) => unknown,
  messageOf: (shown: string, first: JsonPath) => string,
): Problem[] {
  const firsts = new Map<unknown, JsonPath>();
  return objects.flatMap(({ path, fields }) => {
    const same = sameKey(fields[key]);
    const first = firsts.get(same);
    if (first !== undefined) return [{ path: [...path, key], message: messageOf(shown(fields[key]), first) }];
    if (same !== undefined) firsts.set(same, path);
    return [];
  });
}

/**
 * Reports references to missing mirrors, channels and hosts. Also reports maintenance that ends before it begins, a
 * `certificateDays` that has no effect, two rules with the same name, and channels that would send a GitHub token to a
 * different service.
 */
export function referencesExist(entries: readonly OutlineEntry[], file: Fields): Problem[] {
  const scopes = scopesIn(entries);
  const hasBrokenId = entries.some(({ level, fields: { id } }) => level === "node" && !isId(id));
  const scopeProblems = ({ path, fields: { scope } }: Located): Problem[] => {
    if ((typeof scope !== "string" && typeof scope !== "number") || scopes.has(scope)) return [];
    if (typeof scope === "number" && hasBrokenId) return [];
    const message = `${shown(scope)} is not a host, path or id in this file; write a host as in the mirrors' URLs, a path such as system/project/target, or an id`;
    return [{ path: [...path, "scope"], message }];
  };
  const channels = isObject(file["channels"]) ? file["channels"] : {};
  const channelProblems = (path: JsonPath, name: unknown): Problem[] => {
    if (typeof name !== "string" || Object.hasOwn(channels, name)) return [];
    return [{ path, message: `${quote(name)} is not the name of a channel; add it to channels` }];
  };
  const hostProblems = (host: string): Problem[] => {
    if (scopes.has(host) && !host.includes("/")) return [];
    const message = `${quote(host)} is not a host in this file; write it as in the mirrors' URLs, such as git.example.org`;
    return [{ path: ["contacts", host], message }];
  };
  const rules = objectsIn(file, "notify");
  return [
    ...objectsIn(file, "maintenance").flatMap((window) => [
      ...scopeProblems(window),
      ...timeProblems(window),
    ]),
    ...tokenProblems(channels),
    ...rules.flatMap((rule) => [
      ...scopeProblems(rule),
      ...certificateProblems(rule),
      ...(Array.isArray(rule.fields["to"]) ? rule.fields["to"] : []).flatMap((name: unknown, index) =>
        name === contactName ? [] : channelProblems([...rule.path, "to", index], name),
      ),
    ]),
    ...repeatProblems(
      rules,
      "name",
      (name) => (typeof name === "string" ? name : undefined),
      (name) => `${name} is already the name of a rule; choose another`,
    ),
    ...Object.entries(isObject(file["contacts"]) ? file["contacts"] : {}).flatMap(([host, name]) => [
      ...channelProblems(["contacts", host], name),
      ...hostProblems(host),
    ]),
    ...entries.flatMap(({ level, path, fields: { contact } }) =>
      level === "file" ? [] : channelProblems([...path, "contact"], contact),
    ),
  ];
}

/** Returns the objects under a key of the file, whose value is an object or a list of objects. */
function objectsIn(file: Fields, key: string): Located[] {
  const value = file[key];
  const located = Array.isArray(value)
    ? value.map((fields: unknown, index) => ({ path: [key, index], fields }))
    : [{ path: [key], fields: value }];
  return located.flatMap(({ path, fields }) => (isObject(fields) ? [{ path, fields }] : []));
}

function timeProblems({ path, fields: { from, to } }: Located): Problem[] {
  if (typeof from !== "string" || typeof to !== "string" || !(Date.parse(from) >= Date.parse(to))) return [];
  return [{ path: [...path, "to"], message: "must be later than from" }];
}

function certificateProblems({ path, fields: { events, certificateDays } }: Located): Problem[] {
  if (certificateDays === undefined || !Array.isArray(events) || events.includes("certificate")) return [];
  const message =
    'has no effect, since this rule does not cover certificates; add "certificate" to events, or remove this key';
  return [{ path: [...path, "certificateDays"], message }];
}

/** A GitHub token must be sent only to GitHub. */
function tokenProblems(channels: Fields): Problem[] {
  const variables = Object.entries(channels).flatMap(([name, channel]) => {
    if (!isObject(channel)) return [];
    const isGitHub = channel["type"] === "github";
    const keys = Object.entries(channel).filter(([key]) => key.endsWith("Env"));
    return keys.map(([key, variable]) => ({ name, isGitHub, key, variable }));
  });
  return variables.flatMap(({ name, isGitHub, key, variable }) => {
    const owner = variables.findLast((one) => one.isGitHub && one.variable === variable);
    if (isGitHub || owner === undefined) return [];
    const message = `is the variable with the GitHub token of the channel ${quote(owner.name)}; use another variable here, since only GitHub may receive that token`;
    return [{ path: ["channels", name, key], message }];
  });
}

/** Returns every host, path and id that `scope` can name. */
function scopesIn(entries: readonly OutlineEntry[]): Set<unknown> {
  const scopes = entries.flatMap((entry): unknown[] => {
    const { id, url } = entry.fields;
    if (entry.level === "node") return typeof url === "string" ? [id, hostIn(url)] : [id];
    return entry.level === "project" || entry.level === "target" ? [placeOf(entry)] : [];
  });
  return new Set(scopes);
}

/** Returns a URL's host and port. The scheme may be missing. */
function hostIn(text: string): string | undefined {
  return parseUrl(withScheme(text) ?? text)?.host;
}

export function isId(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

/** Returns the names of an entry and of the levels above it as a path, such as `system/project`. */
function placeOf({ level, fields, parent }: OutlineEntry): string {
  const name = fields[level];
  const own = typeof name === "string" || typeof name === "number" ? String(name) : "";
  return parent === undefined || parent.level === "file" ? own : `${placeOf(parent)}/${own}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : String(value);
}
