import { quote } from "../base/text/quote.ts";
import { parseUrl, withScheme } from "../base/text/url.ts";
import type { Problem } from "./json-document.ts";
import { contactName } from "./notify-rules.ts";
import { type Fields, fieldsAt, type Located, objectsAt, type OutlineEntry } from "./outline.ts";

/** Reports references to missing mirrors, channels and hosts, and settings that contradict each other. */
export function referencesExist(entries: readonly OutlineEntry[], file: Located): Problem[] {
  const scopes = scopesIn(entries);
  const channels = fieldsAt(file.fields, "channels");
  const contacts = Object.entries(fieldsAt(file.fields, "contacts"));
  const rules = objectsAt(file, "notify");
  const maintenance = objectsAt(file, "maintenance");
  const channelNames = [
    ...rules.flatMap(({ path, fields: { to } }) => {
      const names: unknown[] = Array.isArray(to) ? to : [];
      return names.map((name, index) => ({ path: [...path, "to", index], name }));
    }),
    ...contacts.map(([host, name]) => ({ path: ["contacts", host], name })),
    ...entries
      .slice(1)
      .map(({ path, fields: { contact } }) => ({ path: [...path, "contact"], name: contact })),
  ];
  return [
    ...maintenance.flatMap(timeProblems),
    ...[...maintenance, ...rules].flatMap((located) => scopeProblems(located, scopes)),
    ...tokenProblems(channels),
    ...rules.flatMap(certificateProblems),
    ...channelNames.flatMap(({ path, name }) => {
      // In `to`, `contact` means each mirror's contact. Elsewhere, the schema refuses it.
      if (typeof name !== "string" || name === contactName || Object.hasOwn(channels, name)) return [];
      return [{ path, message: `${quote(name)} is not the name of a channel; add it to channels` }];
    }),
    ...contacts.flatMap(([host]) => {
      if (scopes.has(host) && !host.includes("/")) return [];
      const message = `${quote(host)} is not a host in this file; write it as in the mirrors' URLs, such as git.example.org`;
      return [{ path: ["contacts", host], message }];
    }),
  ];
}

/** Returns every host, path and id that `scope` can name, as text. */
function scopesIn(entries: readonly OutlineEntry[]): Set<string> {
  const scopes = entries.flatMap((entry): (string | undefined)[] => {
    const { id, url } = entry.fields;
    if (entry.level === "node") return [String(id), typeof url === "string" ? hostIn(url) : undefined];
    return entry.level === "project" || entry.level === "target" ? [placeOf(entry)] : [];
  });
  return new Set(scopes.filter((scope) => scope !== undefined));
}

/** Returns a URL's host and port. The scheme may be missing. */
function hostIn(text: string): string | undefined {
  return parseUrl(withScheme(text) ?? text)?.host;
}

/** Returns the names of an entry and of the levels above it as a path, such as `system/project`. */
function placeOf(entry: OutlineEntry): string {
  const named = [entry, ...entry.parents].filter(({ level }) => level !== "file").reverse();
  return named.map(({ level, fields }) => String(fields[level])).join("/");
}

function scopeProblems(located: Located, scopes: ReadonlySet<string>): Problem[] {
  const { scope } = located.fields;
  if ((typeof scope !== "string" && typeof scope !== "number") || scopes.has(String(scope))) return [];
  const shown = typeof scope === "string" ? quote(scope) : scope;
  const message = `${shown} is not a host, path or id in this file; write a host as in the mirrors' URLs, a path such as system/project/target, or an id`;
  return [{ path: [...located.path, "scope"], message }];
}

function timeProblems(located: Located): Problem[] {
  const { from, to } = located.fields;
  if (typeof from !== "string" || typeof to !== "string" || !(Date.parse(from) >= Date.parse(to))) return [];
  return [{ path: [...located.path, "to"], message: "must be later than from" }];
}

function certificateProblems(rule: Located): Problem[] {
  const { events, certificateDays } = rule.fields;
  if (certificateDays === undefined || !Array.isArray(events) || events.includes("certificate")) return [];
  const message =
    'has no effect, since this rule does not cover certificates; add "certificate" to events, or remove this key';
  return [{ path: [...rule.path, "certificateDays"], message }];
}

/** A GitHub token must be sent only to GitHub. */
function tokenProblems(channels: Fields): Problem[] {
  const variables = Object.keys(channels).flatMap((name) => {
    const { type, ...keys } = fieldsAt(channels, name);
    const named = Object.entries(keys).filter(([key]) => key.endsWith("Env"));
    return named.map(([key, variable]) => ({ name, isGitHub: type === "github", key, variable }));
  });
  return variables.flatMap(({ name, isGitHub, key, variable }) => {
    const owner = variables.findLast((one) => one.isGitHub && one.variable === variable);
    if (isGitHub || owner === undefined) return [];
    const message = `is the variable with the GitHub token of the channel ${quote(owner.name)}; use another variable here, since only GitHub may receive that token`;
    return [{ path: ["channels", name, key], message }];
  });
}
