import { quote } from "../base/text/quote.ts";
import type { JsonPath, Problem } from "./json.ts";
import { contactName } from "./notify.ts";
import { isObject, type OutlineEntry } from "./outline.ts";
import { repeatedProblems } from "./repeated.ts";
import { subjectProblems, subjectsIn } from "./subjects.ts";

/**
 * Returns the problems of `channels`, `notify`, `contacts` and the contacts of mirrors: channels and subjects that do not exist,
 * and tokens that two kinds of receivers would get.
 */
export function notifyIsValid(entries: readonly OutlineEntry[], value: unknown): Problem[] {
  if (!isObject(value)) return [];
  const entriesOfChannels = isObject(value["channels"]) ? value["channels"] : {};
  const channels = Object.keys(entriesOfChannels);
  const subjects = subjectsIn(entries);
  const { notify, contacts } = value;
  const rules = Array.isArray(notify)
    ? notify.map((rule: unknown, index) => [["notify", index], rule] as const)
    : [[["notify"], notify] as const];
  return [
    ...tokenProblems(entriesOfChannels),
    ...rules.flatMap(([path, rule]) => (isObject(rule) ? ruleProblems(path, rule, channels, subjects) : [])),
    ...repeatedNames(rules),
    ...(isObject(contacts)
      ? Object.entries(contacts).flatMap(([host, name]) => [
          ...channelProblem(["contacts", host], name, channels),
          ...(subjects.has(host) && !host.includes("/") ? [] : [hostProblem(host)]),
        ])
      : []),
    ...entries.flatMap(({ path, fields: { contact } }) =>
      contact === undefined ? [] : channelProblem([...path, "contact"], contact, channels),
    ),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

function ruleProblems(
  path: JsonPath,
  { scope, to }: Fields,
  channels: readonly string[],
  subjects: ReadonlySet<unknown>,
): Problem[] {
  return [
    ...subjectProblems([...path, "scope"], scope, subjects),
    ...(Array.isArray(to)
      ? to.flatMap((name: unknown, index) =>
          name === contactName ? [] : channelProblem([...path, "to", index], name, channels),
        )
      : []),
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

function repeatedNames(rules: readonly (readonly [path: JsonPath, rule: unknown])[]): Problem[] {
  const names = rules.flatMap(([owner, rule]) => {
    const value = isObject(rule) ? rule["name"] : undefined;
    return typeof value === "string" ? [{ owner, key: "name", value }] : [];
  });
  return repeatedProblems(
    names,
    (name) => name,
    (name) => `${quote(name)} is already the name of a rule; choose another`,
  );
}

function channelProblem(path: JsonPath, name: unknown, channels: readonly string[]): Problem[] {
  if (typeof name !== "string" || channels.includes(name)) return [];
  const remedy =
    channels.length === 0
      ? "add it to channels"
      : `add it to channels, or write one of ${channels.slice(0, 10).map(quote).join(", ")}`;
  return [{ path, message: `${quote(name)} is not the name of a channel; ${remedy}` }];
}

function hostProblem(host: string): Problem {
  const message = `${quote(host)} is not a host of this file; write it as in the URLs of its mirrors, such as git.example.org`;
  return { path: ["contacts", host], message };
}
