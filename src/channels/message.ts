import * as z from "zod";

const id = z.string().regex(/^[0-9a-f]{16}$/);
const timestamp = z.iso.datetime();
const phase = z.enum(["begin", "end"]).describe("Whether the event begins or ends.");

const fact = z.object({ name: z.string(), value: z.string() });

const mirror = z
  .object({
    id: z.int().min(1).describe("Its id in mirrors.json."),
    name: z.string(),
    url: z.string(),
    place: z.string().describe("system/project/target"),
    page: z.string().optional().describe("Its page; missing if the site's URL is unknown."),
    evidence: z.array(fact).describe("What is known about it."),
    command: z.string().describe("A shell command that probes it again."),
  })
  .describe("A mirror as it was when the notification was sent.");

const event = z
  .object({
    id: id.describe("The same when it begins and when it ends."),
    event: z.string().describe("Its name in the rules of mirrors.json, such as offline."),
    phase,
    rule: z.string().describe("The rule that first sent it."),
    host: z.string().optional().describe("The host of its mirrors; missing if there are several hosts."),
    place: z
      .string()
      .optional()
      .describe("The system/project/target of its mirrors; missing if there are several."),
    code: z.string().optional().describe("Why a mirror is offline, such as timeout."),
    incident: z.string().optional().describe("The id of the incident."),
    title: z.string().describe("One line: what happened to what."),
    sentence: z.string().describe("What it means."),
    since: timestamp,
    until: timestamp.optional().describe("Missing while it lasts."),
    evidence: z.array(fact).describe("What is known about the whole event."),
    mirrors: z.array(mirror).describe("The first mirrors it is about."),
    more_mirrors: z.int().min(0).describe("How many more there are."),
    page: z.string().optional().describe("The page of the incident or of the target."),
  })
  .describe("What happened.");

const data = z.object({
  id: id.describe("The same for every attempt, and in the headers webhook-id and Idempotency-Key."),
  title: z.string(),
  feed: z.object({ title: z.string(), url: z.string().optional() }),
  events: z.array(event).min(1).describe("One event, or the first of many."),
  more_events: z.int().min(0).describe("How many more there are."),
  reason: z.string().describe("Why it was sent, and by which rule."),
  leave: z.string().describe("How to stop these notifications."),
});

/** The body of a webhook, after the payload of Standard Webhooks. */
const webhookSchema = z
  .object({
    type: z.enum(["notification.begin", "notification.end"]),
    timestamp: timestamp.describe("When the notification was decided, in UTC; the same for every attempt."),
    data,
  })
  .meta({
    title: "A notification that mirrorfeed sends to a webhook",
    description: "Ignore unknown fields and events.",
  });

/** A name and a value for people, such as "Code" and "dns". */
export type Fact = z.infer<typeof fact>;
export type MessageMirror = z.infer<typeof mirror>;

/**
 * One event, as it was when the message was composed. Its texts are those of mirrors.json and of mirrors, on one line and
 * without control or invisible characters. They may hold any other character: each channel escapes what has a meaning in
 * its format.
 */
export interface MessageEvent extends z.infer<typeof event> {
  /** The digest that it began in, if it did, and whether all of that digest's events are over. */
  readonly digest?: { readonly id: string; readonly isOver: boolean } | undefined;
}

/** What a channel delivers at once: one event, or the digest of many. */
export interface Message extends Omit<z.infer<typeof data>, "more_events"> {
  readonly phase: MessageEvent["phase"];
  /** When it was decided, as an ISO timestamp in UTC. */
  readonly at: string;
  readonly events: MessageEvent[];
}

/** How many events a message shows; it says how many more there are. */
export const eventsShown = 20;

/** Returns the JSON schema of the body of a webhook, as `public/webhook.schema.json` has it: later versions add fields. */
export function webhookJsonSchema(): object {
  return z.toJSONSchema(webhookSchema, {
    target: "draft-2020-12",
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === "object") jsonSchema.additionalProperties = {};
    },
  });
}

/** Returns the body of a webhook for a message. JSON leaves out what is undefined. */
export function webhookDocument({
  phase: sent,
  at,
  events,
  ...message
}: Message): z.infer<typeof webhookSchema> {
  const shown = events.slice(0, eventsShown).map((one) => ({ ...one, digest: undefined }));
  const { id: messageId, title, feed, reason, leave } = message;
  const more_events = events.length - shown.length;
  return {
    type: `notification.${sent}`,
    timestamp: at,
    data: { id: messageId, title, feed, events: shown, more_events, reason, leave },
  };
}
