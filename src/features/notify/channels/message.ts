import * as z from "../../../core/base/zod.ts";

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
