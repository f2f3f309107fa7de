import * as z from "../../../core/base/zod.ts";
import { formatCount } from "../../../core/base/text/count.ts";

const id = z.string().regex(/^[0-9a-f]{16}$/);
const timestamp = z.iso.datetime();

const fact = z.object({ name: z.string(), value: z.string() });

const mirror = z
  .object({
    id: z.int().min(1).describe("The mirror's id in mirrors.json."),
    name: z.string(),
    url: z.string(),
    place: z.string().describe("system/project/target"),
    page: z.string().optional().describe("The mirror's page; missing if the site's URL is unknown."),
    evidence: z.array(fact).describe("Facts about the mirror."),
    command: z.string().describe("A shell command that probes the mirror again."),
  })
  .describe("A mirror as it was in the last run.");

const event = z
  .object({
    id: id.describe("The same when the event begins and when it ends."),
    event: z.string().describe("The event's name in mirrors.json, such as offline."),
    phase: z.enum(["begin", "end"]).describe("Whether the event begins or ends."),
    rule: z.string().describe("The rule that first reported the event."),
    code: z.string().optional().describe("Why a mirror is offline, such as timeout."),
    incident: z.string().optional().describe("The incident's id."),
    title: z.string().describe("What happened, on one line."),
    sentence: z.string().describe("An explanation in one or more sentences."),
    since: timestamp,
    until: timestamp.optional().describe("Missing while the event lasts."),
    evidence: z.array(fact).describe("Facts about the whole event."),
    mirrors: z.array(mirror).describe("The event's mirrors. If there are many, only the first few."),
    more_mirrors: z.int().min(0).describe("How many more mirrors the event has."),
    page: z.string().optional().describe("The page of the incident or the target."),
  })
  .describe("What happened.");

const data = z.object({
  id: id.describe(
    "A digest of the content, also in the headers webhook-id and Idempotency-Key. The same id means the same content.",
  ),
  title: z.string(),
  feed: z.object({ title: z.string(), url: z.string().optional() }),
  events: z.array(event).min(1).describe("The events that begin or end: all of them, or the first of many."),
  more_events: z.int().min(0).describe("How many more events there are."),
  reason: z.string().describe("Why it was sent, and by which rule."),
  leave: z.string().describe("How to stop these notifications."),
});

/** The body of a webhook request, based on the payload of Standard Webhooks. */
const webhookSchema = z
  .object({
    type: z.literal("notification"),
    timestamp: timestamp.describe("When the last run ended, in UTC. The content is as of then."),
    data,
  })
  .meta({
    title: "A notification that mirrorfeed sends to a webhook",
    description: "Ignore unknown fields and events.",
  });

/** A label and a value to show, such as "Code" and "dns". */
export type Fact = z.infer<typeof fact>;
export type MessageMirror = z.infer<typeof mirror>;

/**
 * An event as of the last run. Its texts can come from mirrors.json and from mirrors. Each text is on one line, without
 * control or invisible characters, but each channel must escape whatever is special in its own format.
 */
export interface MessageEvent extends z.infer<typeof event> {
  /** The number that the channel returned when the event began. */
  readonly number?: number | undefined;
  /** Whether an earlier attempt may have arrived. */
  readonly isRepeated?: boolean;
}

/** What a channel sends as one message. */
export interface Message extends z.infer<typeof data> {
  /** When the last run ended, as an ISO timestamp in UTC. */
  readonly at: string;
  readonly events: MessageEvent[];
}

/** A message shows at most this many events. The rest are only counted. */
export const eventsShown = 10;

/** Returns the schema of `public/webhook.schema.json`. It allows unknown fields, since later versions add some. */
export function webhookJsonSchema(): object {
  return z.toJSONSchema(webhookSchema, {
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === "object") jsonSchema.additionalProperties = {};
    },
  });
}

export function webhookDocument({ at, ...message }: Message): z.infer<typeof webhookSchema> {
  // JSON leaves out undefined fields.
  const events = message.events.map((one) => ({ ...one, number: undefined, isRepeated: undefined }));
  return { type: "notification", timestamp: at, data: { ...message, events } };
}

/** How a format renders the parts of a message. Empty parts are left out. */
export interface Format {
  /** Renders an event's title and sentence, and counts of what is not shown. */
  readonly text: (text: string) => string;
  readonly facts: (event: MessageEvent) => string;
  readonly mirror: (mirror: MessageMirror) => string;
}

/** Renders the parts of each event, and how many more there are. If there are several, each begins with its title. */
export function outline({ events, more_events }: Message, { text, facts, mirror }: Format): string[][] {
  const shown = events.map((event) =>
    [
      events.length > 1 ? text(event.title) : "",
      text(event.sentence),
      facts(event),
      ...event.mirrors.map(mirror),
      event.more_mirrors > 0 ? text(`And ${formatCount(event.more_mirrors, "more mirror")}.`) : "",
    ].filter((part) => part !== ""),
  );
  return more_events > 0 ? [...shown, [`And ${formatCount(more_events, "more event")}.`]] : shown;
}

export function mirrorFacts({ url, place, evidence }: MessageMirror): Fact[] {
  return [{ name: "URL", value: url }, { name: "Target", value: place }, ...evidence];
}

const width = 72;

/** Renders a message as plain text, wrapped at 72 characters. URLs and commands are never broken. */
export function renderText(message: Message): string {
  const { title, events, reason, leave } = message;
  const parts = outline(message, { text: wrap, facts: eventLines, mirror: mirrorLines });
  const sections = [
    wrap(title),
    ...parts.map((part) => part.join("\n\n")),
    `${wrap(reason)}\n${wrap(leave)}\n`,
  ];
  return sections.join(events.length > 1 ? "\n\n\n" : "\n\n");
}

function eventLines({ evidence, page, mirrors }: MessageEvent): string {
  // The page of an event about one mirror is that of the mirror.
  return factLines(evidence, mirrors.some((mirror) => mirror.page === page) ? undefined : page);
}

function mirrorLines(mirror: MessageMirror): string {
  const { name, page, command } = mirror;
  const facts = factLines(mirrorFacts(mirror), page, "  ");
  return [wrap(name), facts, "  To probe it again:", `    ${command}`].join("\n");
}

function factLines(facts: readonly Fact[], page: string | undefined, indent = ""): string {
  const all = page === undefined ? facts : [...facts, { name: "Page", value: page }];
  return all.map(({ name, value }) => wrap(`${name}: ${value}`, indent, `${indent}  `)).join("\n");
}

/** Breaks lines only at spaces. A word that is longer than a line gets a line of its own. */
function wrap(text: string, first = "", others = first): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const indent = lines.length === 0 ? first : others;
    if (line === "") line = indent + word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = others + word;
    }
  }
  return [...lines, line].join("\n");
}
