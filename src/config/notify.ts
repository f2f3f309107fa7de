import * as z from "zod";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { parseDuration } from "../base/text/duration.ts";
import { durationKey } from "./duration-key.ts";

/** What a rule can be about, each with what it means and how long it must last by default. */
const events = {
  offline: { meaning: "mirrors are offline", after: "1h" },
  behind: { meaning: "a mirror has what its reference had before", after: "24h" },
  differs: { meaning: "the content of a mirror is not that of its reference", after: "24h" },
  wrong_content: { meaning: "the content of a mirror is wrong", after: "24h" },
  rewritten: { meaning: "a tag of the reference moved or vanished", after: "0s" },
  certificate: { meaning: "a certificate expires soon", after: "0s" },
  never_online: { meaning: "a new mirror never answered", after: "24h" },
  feed: { meaning: "no run has been saved for a while, so nothing is known", after: "2h" },
} as const;

export type EventName = keyof typeof events;

/** The names of all events, in the order of documents. */
export const eventNames = Object.keys(events).filter(isEventName);

/** The receiver that is not a channel: the contact of each mirror. */
export const contactName = "contact";

const maxRules = 50;
const maxReceivers = 20;

/** The schema of the name of a channel. */
export const channelName = z
  .string()
  .regex(/^(?!contact$)[a-z0-9][a-z0-9_-]{0,49}$/, {
    error: 'must be a name of a-z, 0-9, "_" and "-", other than contact',
  })
  .meta({ title: "name of a channel" });

/** The schema of the key `contact` of a node or a target. */
export const contactKey = channelName
  .exactOptional()
  .describe(
    "The channel of the person who runs it, for rules that name contact. Only that person's mirrors are sent there.",
  )
  .meta({ examples: ["ops"] });

const rule = strict({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, { error: 'must be a name of a-z, 0-9, "_" and "-"' })
    .exactOptional()
    .describe("Named in its messages (default: rule-1 for the first rule, and so on).")
    .meta({ title: "name", examples: ["serious"] }),
  events: z
    .array(z.enum(eventNames))
    .min(1)
    .max(eventNames.length)
    .exactOptional()
    .describe(
      `What it is about (default: everything). ${eventNames.map((name) => `${name}: ${events[name].meaning}.`).join(" ")}`,
    )
    .meta({ examples: [["offline", "certificate"]] }),
  after: durationKey()
    .exactOptional()
    .describe(
      `How long it must last first (default: ${eventNames.map((name) => `${events[name].after} for ${name}`).join(", ")}).`,
    )
    .meta({ examples: ["3h"] }),
  certificateDays: z
    .int()
    .min(1)
    .max(90)
    .default(14)
    .describe("How many days before its expiry a certificate is mentioned.")
    .meta({ examples: [30] }),
  scope: z
    .union([z.string().min(1).max(500), z.int().min(1)], {
      error: "must be a host, a path such as system/project/target, or the id of a node",
    })
    .exactOptional()
    .describe("The mirrors it is about, as in maintenance (default: all).")
    .meta({ examples: ["community/jcb"] }),
  to: z
    .array(
      z.union([channelName, z.literal(contactName)], { error: "must be the name of a channel, or contact" }),
    )
    .min(1)
    .max(maxReceivers)
    .describe("The channels that its messages go to; contact stands for the contact of each mirror.")
    .meta({ examples: [["ops", "contact"]] }),
}).meta({ title: "rule" });

/** The schema of `notify`: one rule, or a list of them. */
export const notifyKey = z
  .union([rule, z.array(rule).max(maxRules)], {
    error: ({ input }) =>
      typeof input === "object" && input !== null
        ? undefined
        : 'must be a rule such as { "to": ["ops"] }, or a list of rules',
  })
  .default([])
  .describe("Who gets a message about what: one rule, or a list of rules.")
  .meta({ examples: [{ to: ["ops"] }] });

/** The schema of `contacts`: the contacts of hosts. */
export const contactsKey = z
  .record(z.string().min(1).max(500), channelName)
  .default({})
  .describe("The channel of the person who runs a host, by the host as in its URLs.")
  .meta({ examples: [{ "git.example.org": "ops" }] });

/** A rule with all that it leaves out. */
export interface NotifyRule {
  readonly name: string;
  readonly events: ReadonlySet<EventName>;
  /** How long an event must last before a message is decided, in milliseconds. */
  readonly afterMs: (event: EventName) => number;
  readonly certificateDays: number;
  readonly scope: string | number | undefined;
  readonly to: readonly string[];
}

/** Returns the rules of a configuration, in their order. */
export function notifyRules({ notify }: { readonly notify: z.infer<typeof notifyKey> }): NotifyRule[] {
  const given = Array.isArray(notify) ? notify : [notify];
  return given.map(({ name, events: named = eventNames, after, certificateDays, scope, to }, index) => ({
    name: name ?? `rule-${index + 1}`,
    events: new Set(named),
    afterMs: (event) => parseDuration(after ?? events[event].after),
    certificateDays,
    scope,
    to,
  }));
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name);
}
