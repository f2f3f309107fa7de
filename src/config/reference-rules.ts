import { quote } from "../base/text/quote.ts";
import { parseUrl } from "../base/text/url.ts";
import type { JsonPath, Problem } from "./json.ts";
import { contactName } from "./notify.ts";
import { type Fields, isObject, type OutlineEntry } from "./outline.ts";

/** Finds windows that name no mirror of the file, or end before they begin. */
export function maintenanceIsValid(entries: readonly OutlineEntry[], { maintenance }: Fields): Problem[] {
  if (!Array.isArray(maintenance)) return [];
  const scopes = scopesIn(entries);
  return maintenance.flatMap((window: unknown, index): Problem[] => {
    if (!isObject(window)) return [];
    const { scope, from, to } = window;
    const path = ["maintenance", index];
    const isEmpty = typeof from === "string" && typeof to === "string" && Date.parse(from) >= Date.parse(to);
    return [
      ...scopeProblems([...path, "scope"], scope, scopes),
      ...(isEmpty ? [{ path: [...path, "to"], message: "must be later than from" }] : []),
    ];
  });
}

/**
 * Finds channels, scopes and hosts that do not exist in `notify`, `contacts` and the contacts of mirrors, and tokens that
 * two kinds of receivers would get.
 */
export function notifyIsValid(entries: readonly OutlineEntry[], file: Fields): Problem[] {
  const { notify, contacts } = file;
  const channels = isObject(file["channels"]) ? file["channels"] : {};
  const channelProblems = (path: JsonPath, name: unknown): Problem[] => {
    if (typeof name !== "string" || Object.hasOwn(channels, name)) return [];
    const names = Object.keys(channels).slice(0, 10).map(quote);
    const remedy = `add it to channels${names.length === 0 ? "" : `, or write one of ${names.join(", ")}`}`;
    return [{ path, message: `${quote(name)} is not the name of a channel; ${remedy}` }];
  };
  const scopes = scopesIn(entries);
  const rules = Array.isArray(notify)
    ? notify.map((fields: unknown, index) => ({ path: ["notify", index], fields }))
    : [{ path: ["notify"], fields: notify }];
  const validRules = rules.flatMap(({ path, fields }) => (isObject(fields) ? [{ path, fields }] : []));
  return [
    ...tokenProblems(channels),
    ...validRules.flatMap(({ path, fields: { scope, to } }) => [
      ...scopeProblems([...path, "scope"], scope, scopes),
      ...(Array.isArray(to) ? to : []).flatMap((name: unknown, index) =>
        name === contactName ? [] : channelProblems([...path, "to", index], name),
      ),
    ]),
    ...repeatedNames(validRules),
    ...Object.entries(isObject(contacts) ? contacts : {}).flatMap(([host, name]) => [
      ...channelProblems(["contacts", host], name),
      ...(scopes.has(host) && !host.includes("/") ? [] : [hostProblem(host)]),
    ]),
    ...entries.flatMap(({ level, path, fields: { contact } }) =>
      level === "file" ? [] : channelProblems([...path, "contact"], contact),
    ),
  ];
}

/** A token of GitHub goes to GitHub alone. */
function tokenProblems(channels: Fields): Problem[] {
  const variables = Object.entries(channels).flatMap(([name, channel]) => {
    if (!isObject(channel)) return [];
    const isGitHub = channel["type"] === "github";
    const keys = Object.entries(channel).filter(([key]) => key.endsWith("Env"));
    return keys.map(([key, variable]) => ({ name, isGitHub, key, variable }));
  });
  const tokens = new Map(
    variables.filter(({ isGitHub }) => isGitHub).map(({ name, variable }) => [variable, name]),
  );
  return variables.flatMap(({ name, isGitHub, key, variable }) => {
    const owner = isGitHub ? undefined : tokens.get(variable);
    if (owner === undefined) return [];
    const message = `is the token of the channel ${quote(owner)}, which no other receiver may get; name another variable`;
    return [{ path: ["channels", name, key], message }];
  });
}

function repeatedNames(rules: readonly { readonly path: JsonPath; readonly fields: Fields }[]): Problem[] {
  const names = new Set<string>();
  return rules.flatMap(({ path, fields: { name } }) => {
    if (typeof name !== "string") return [];
    const message = `${quote(name)} is already the name of a rule; choose another`;
    if (names.has(name)) return [{ path: [...path, "name"], message }];
    names.add(name);
    return [];
  });
}

function hostProblem(host: string): Problem {
  const message = `${quote(host)} is not a host of this file; write it as in the URLs of its mirrors, such as git.example.org`;
  return { path: ["contacts", host], message };
}

/** Returns every host, path and id that names mirrors of a file, as in `maintenance` and `notify`. */
function scopesIn(entries: readonly OutlineEntry[]): Set<unknown> {
  const scopes = entries.flatMap((entry): unknown[] => {
    const { id, url } = entry.fields;
    if (entry.level === "node") return typeof url === "string" ? [id, parseUrl(url)?.host] : [id];
    return entry.level === "project" || entry.level === "target" ? [placeOf(entry)] : [];
  });
  return new Set(scopes);
}

/** Returns the names that lead to an entry, such as `system/project`. */
function placeOf({ level, fields, parent }: OutlineEntry): string {
  const name = fields[level];
  const own = typeof name === "string" ? name : "";
  return parent === undefined || parent.level === "file" ? own : `${placeOf(parent)}/${own}`;
}

function scopeProblems(path: JsonPath, scope: unknown, scopes: ReadonlySet<unknown>): Problem[] {
  if ((typeof scope !== "string" && typeof scope !== "number") || scopes.has(scope)) return [];
  const shown = typeof scope === "string" ? quote(scope) : String(scope);
  const message = `${shown} is not a host, path or id of this file; write git.example.org, system/project/target or an id`;
  return [{ path, message }];
}
