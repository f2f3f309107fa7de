import { parse } from "yaml";
import * as z from "../base/zod.ts";
import { InputError } from "../base/errors.ts";
import { nameProblem } from "../base/text/name.ts";
import { printable, quote } from "../base/text/quote.ts";
import { formatPath } from "./json-document.ts";
import type { Node } from "./nodes.ts";
import { safeParse } from "./validate.ts";
import { id, label, timestamp } from "./values.ts";

export const noticeStates = ["investigating", "identified", "monitoring", "resolved", "planned"] as const;

const place = z.string({ error: "must be a path such as system/project/target" });
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item, { error: "must be a list, such as [1, 2]" })
    .min(1, { error: "is empty; add an entry, or remove the key" })
    .max(1000, { error: "has more than 1000 entries; name a project or target instead" })
    .exactOptional();

const state = z.enum(noticeStates, { error: `must be one of ${noticeStates.join(", ")}` }).exactOptional();

const head = z.strictObject({
  title: label,
  mirrors: listOf(id),
  targets: listOf(place),
  from: timestamp,
  to: timestamp.exactOptional(),
  state,
  next: timestamp.exactOptional(),
});

const updateHead = z.object({ time: timestamp, state });

/** A section of a notice, headed by a time and an optional state: `## 2026-01-31T08:00:00Z identified`. */
export interface NoticeUpdate {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly state: (typeof noticeStates)[number] | undefined;
  readonly markdown: string;
}

/** A Markdown file about an incident or maintenance, or an announcement. */
export type NoticeFile = Readonly<ReturnType<typeof parseNotice>>;

const example = "---\\ntitle: Moving to new disks\\nfrom: 2026-01-31T08:00:00Z\\n---\\n";

/** Page names of the incidents that mirrorfeed detects. */
const automaticName = /^\d{4}-\d\d-\d\d-[0-9a-f]{6,}$/;

/** Parses the content of `NAME.md`. Throws InputError. */
export function parseNotice(content: string, name: string, file: string, nodes: readonly Node[]) {
  const wrongName = automaticName.test(name)
    ? `${quote(name)} looks like the name of an automatic incident; choose another name`
    : nameProblem(name);
  if (wrongName !== undefined) throw new InputError(`${file}: the name ${wrongName}.`);
  const [, yaml, body] =
    /^---[ \t]*\n([^]*?\n)?---[ \t]*(?:\n([^]*))?$/.exec(content.replaceAll(/\r\n?/g, "\n")) ?? [];
  if (/[^\P{Cc}\n\t\r]|[\ufffe\uffff]/u.test(content))
    throw new InputError(`${file} has control characters; remove them.`);
  if (yaml === undefined)
    throw new InputError(`${file} does not begin with its title and times; begin it with "${example}".`);
  const parsed = checked(head, parseYaml(yaml, file), (key) => {
    return `${file}: ${key || "the front matter between the --- lines"}`;
  });
  const { title, mirrors, targets, from, to, next } = parsed;
  const [text, updates] = splitUpdates(body ?? "", file);
  const [last] = updates;
  const shownState = parsed.state ?? last?.state;
  const start = Date.parse(from);
  const end = to !== undefined ? Date.parse(to) : last?.state === "resolved" ? last.at : undefined;
  if (end !== undefined && end <= start) throw new InputError(`${file}: "to" must be later than "from".`);
  if (shownState === "resolved" && end === undefined)
    throw new InputError(`${file}: "to" is missing; a resolved incident needs an end.`);
  const named = namedNodes(parsed, nodes);
  return {
    name,
    title,
    /** Ids of the nodes that the notice is about; undefined for an announcement. */
    nodes: mirrors === undefined && targets === undefined ? undefined : named.ids,
    /** Ids and paths that are not in mirrors.json, or not any more. */
    gone: named.gone,
    /** Like all times here, in epoch milliseconds. */
    from: start,
    to: end,
    state: shownState,
    /** When the next update is due. */
    next: next === undefined ? undefined : Date.parse(next),
    /** The text before the first update. */
    markdown: text,
    /** Newest first. */
    updates,
  };
}

function splitUpdates(body: string, file: string): [text: string, updates: readonly NoticeUpdate[]] {
  const [text = "", ...parts] = body.split(/^##[ \t]+(?=\d{4}-\d\d-\d\d)(.*)$/m);
  const updates = new Map<number, NoticeUpdate>();
  for (const [index, heading] of parts.entries()) {
    if (index % 2 === 1) continue;
    const [time = "", ...words] = heading.trim().split(/[ \t]+/);
    const place = `${file}: the update ${quote(heading.trim())}`;
    const given = { time, ...(words.length > 0 && { state: words.join(" ") }) };
    const parsed = checked(updateHead, given, (key) => `${place}: its ${key}`);
    const at = Date.parse(parsed.time);
    if (updates.has(at))
      throw new InputError(`${place} has the same time as another update; change one of them.`);
    updates.set(at, { at, state: parsed.state, markdown: parts[index + 1] ?? "" });
  }
  return [text, [...updates.values()].sort((one, other) => other.at - one.at)];
}

/** Resolves `mirrors` and `targets` to ids, and collects the entries that mirrors.json does not have. */
function namedNodes({ mirrors = [], targets = [] }: z.infer<typeof head>, nodes: readonly Node[]) {
  const named = new Set(targets);
  const ids = new Set(mirrors);
  const own = nodes.filter(
    ({ id, system, project, place: path }) =>
      ids.has(id) || named.has(path) || named.has(`${system}/${project}`),
  );
  const known = new Set<number | string>(
    nodes.flatMap(({ id, system, project, place: path }) => [id, path, `${system}/${project}`]),
  );
  const gone = [...ids, ...named].filter((name) => !known.has(name));
  return { ids: new Set(own.map(({ id }) => id)), gone };
}

/** Throws InputError if the text is not a single valid YAML document, or if keys are repeated. */
function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // An excerpt follows the first line of the message, which ends with the position.
    const [message = ""] = error.message.split(/:?\n/);
    throw new InputError(`${file} is not valid YAML; correct it: ${printable(message)}.`);
  }
}

/** Throws InputError with the first problem. `placeOf` returns the start of the message. */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  placeOf: (key: string) => string,
): z.infer<Schema> {
  const { data, problems } = safeParse(schema, value);
  if (problems === undefined) return data;
  const [{ path, message } = { path: [], message: "is not valid" }] = problems;
  throw new InputError(`${placeOf(formatPath(path))} ${message}.`);
}
