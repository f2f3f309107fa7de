import * as z from "../base/zod.ts";
import { formatList } from "../base/text/count.ts";
import { parseDuration } from "../base/text/time.ts";
import { group } from "../base/text/group.ts";
import { channelName } from "./channels.ts";
import { described } from "../kinds/kind.ts";
import { durationKey, scope } from "./values.ts";

/** Each event with its meaning and its default `after`. */
const events = {
  offline: { meaning: "mirrors are offline", after: "1h" },
  unstable: { meaning: "a mirror went offline three times in 24 hours", after: "0s" },
  behind: { meaning: "a mirror has an older version of its reference's content", after: "24h" },
  differs: { meaning: "a mirror's content differs from its reference's", after: "24h" },
  wrong_content: { meaning: "a mirror's content is expired, half synced or incomplete", after: "24h" },
  rewritten: { meaning: "a tag was moved or deleted in the reference", after: "0s" },
  certificate: { meaning: "a certificate expires soon", after: "0s" },
  ipv4_unreachable: { meaning: "a host answers over IPv6, but not over IPv4", after: "0s" },
  ipv6_unreachable: { meaning: "a host answers over IPv4, but not over IPv6", after: "0s" },
  never_online: { meaning: "a new mirror has never been online", after: "24h" },
  feed: { meaning: "the feed has expired, or the published site is older than the state", after: "2h" },
} as const;

export type EventName = keyof typeof events;

export const eventNames = Object.keys(events).filter(isEventName);

/** These have no duration of their own, so they are reported at once. */
const immediate: ReadonlySet<EventName> = new Set<EventName>(["unstable", "rewritten"]);

const defaultAfters = [...group(eventNames.map((name) => [events[name].after, name] as const))]
  .map(([after, names]) => `${after} for ${formatList(names, "and")}`)
  .join("; ");

/** In a rule's `to`, this name means each mirror's contact instead of a channel. */
export const contactName = "contact";

export const contactKey = described(
  channelName.exactOptional(),
  "The operator's channel. Rules with `contact` in `to` notify this channel, but only about its operator's mirrors.",
  "ops",
);

export const contactsKey = described(
  z.record(z.string().min(1).max(500), channelName).default({}),
  "The operator's channel for each host. Hosts are written as in the mirrors' URLs.",
  { "git.example.org": "ops" },
);

const rule = z
  .strictObject({
    name: described(
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, { error: 'must be a name made of a-z, 0-9, "_" and "-"' })
        .exactOptional(),
      "The rule's name in notifications (default: rule-1 for the first rule, and so on).",
      "serious",
      "name",
    ),
    events: described(
      z.array(z.enum(eventNames)).min(1).max(eventNames.length).exactOptional(),
      `The events that the rule covers (default: all). ${eventNames.map((name) => `\`${name}\`: ${events[name].meaning}`).join("; ")}.`,
      ["offline", "certificate"],
    ),
    after: described(
      durationKey().exactOptional(),
      `How long an event must last before it is reported (default: ${defaultAfters}). ${formatList(
        [...immediate].map((name) => `\`${name}\``),
        "and",
      )} are always reported at once.`,
      "3h",
    ),
    certificateDays: described(
      z.int().min(1).max(90).default(14),
      "How many days in advance the rule reports an expiring certificate.",
      30,
    ),
    scope: described(
      scope.exactOptional(),
      "The mirrors that the rule covers: a host, a path or an id, as in `maintenance` (default: all).",
      "community/jcb",
    ),
    to: described(
      z
        .array(
          z.union([channelName, z.literal(contactName)], {
            error: "must be the name of a channel, or contact",
          }),
        )
        .min(1)
        .max(20),
      "The channels to notify. `contact` means each mirror's contact.",
      ["ops", "contact"],
    ),
  })
  .meta({ title: "rule" });

export const notifyKey = described(
  z
    .union([rule, z.array(rule).max(50)], {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? undefined
          : 'must be a rule such as { "to": ["ops"] }, or a list of rules',
    })
    .default([]),
  "Who is notified about what: one rule, or a list of rules.",
  { to: ["ops"] },
);

/** A rule with its defaults filled in. */
export type NotifyRule = Readonly<ReturnType<typeof notifyRules>[number]>;

export function notifyRules({ notify }: { readonly notify: z.infer<typeof notifyKey> }) {
  const given = Array.isArray(notify) ? notify : [notify];
  return given.map(({ name, events: named = eventNames, after, certificateDays, scope, to }, index) => ({
    name: name ?? `rule-${index + 1}`,
    events: new Set<EventName>(named),
    afterMs: (event: EventName) =>
      parseDuration((immediate.has(event) ? undefined : after) ?? events[event].after),
    certificateDays,
    scope,
    to: [...new Set(to)],
  }));
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name);
}
