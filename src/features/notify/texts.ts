import { type Family, familyNames } from "../../core/base/http/address.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/time.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { EventName } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { RewrittenTag } from "../../core/feed/target-reference.ts";
import { attentionStates, stateNames } from "../../core/verdict/mirror-state.ts";
import { codeSentence, stateSentence } from "../explain/explain.ts";
import { rulesFor } from "./rules.ts";
import { lastTold, type Line, type NotifiedFeed, type Phase } from "./told.ts";

/** An event with those of its mirrors that concern a channel, and with the data for its text. */
export type ChannelEvent = Readonly<ReturnType<typeof channelEvent>>;

interface TextContext {
  readonly feed: NotifiedFeed;
  readonly byId: ReadonlyMap<number, FeedNode>;
  /** Formats a time (epoch milliseconds or ISO 8601), such as `2 Nov 2026, 07:00 UTC`. */
  readonly time: (at: number | string) => string;
}

export function channelEvent(id: string, line: Line, context: TextContext) {
  const { channel, event, subject, since, claim } = line;
  const { feed, byId } = context;
  const phase = claim?.phase ?? "begin";
  // Mirrors that are back already are not what begins.
  const isOver = (node: FeedNode): boolean => event === "offline" && phase === "begin" && node.status === 1;
  const nodes = line.nodes
    .flatMap((node) => byId.get(node) ?? [])
    .filter((node) => !isOver(node) && rulesFor(feed.rules, event, channel, node).length > 0);
  const run = Date.parse(feed.run.generated_at);
  const back = nodes.map((one) => Date.parse(one.since ?? "") || run);
  /** The time of the last run or, if the event is over, when it ended, in epoch milliseconds. */
  const at = phase === "end" && event === "offline" ? Math.max(since, ...back) : run;
  const incident = feed.incidents.find((one) => event === "offline" && one.id === subject);
  return { ...context, id, phase, line, nodes, incident, at, lasted: formatDuration(at - since) };
}

type Text = readonly [title: string, sentence: string];

/** An event about at least one mirror. */
type View = ChannelEvent & { readonly first: FeedNode; readonly subject: string };

type Texts = Readonly<Record<Phase, (view: View) => Text>>;

export function eventText(event: ChannelEvent): Text {
  const { phase, line, nodes } = event;
  const [first] = nodes;
  if (line.event === "feed" || first === undefined) return feedText(event);
  if (line.event === "rewritten")
    return [
      `Tags of ${line.subject} moved or vanished`,
      "A tag should never change. If nobody meant to change it, check who can push to the reference.",
    ];
  const subject = subjectOf(nodes, first);
  return texts[line.event][phase]({ ...event, first, subject });
}

function feedText({ line, phase, feed, lasted, time }: ChannelEvent): Text {
  const { url = "", site } = feed;
  const since = time(line.since);
  const is = {
    site: {
      begin: [
        "the published site is out of date",
        `Newer runs were saved, but ${url}/ still shows the run of ${since}. Check whether publishing has failed.`,
      ],
      end: ["the published site is up to date again", `It is ${url}/.`],
    },
    runs: {
      begin: [
        "the next run is overdue",
        `It was due on ${since}. The state of the mirrors has been unknown since then. Check that mirrorfeed is still running.`,
      ],
      end: [`runs are being saved again after ${lasted}`, "You will get notifications about mirrors again."],
    },
  } as const;
  const [title, sentence] = is[line.subject === "site" ? "site" : "runs"][phase];
  return [`${site.title}: ${title}`, sentence];
}

/** Returns the tags that were rewritten since the channel was last told of any. */
export function rewrittenTags({ line, nodes, feed }: ChannelEvent): RewrittenTag[] {
  const listed = line.event === "rewritten" ? (nodes[0]?.target.reference?.rewritten ?? []) : [];
  const last = lastTold(feed.notifications.lines, line);
  return listed.filter(({ at }) => Date.parse(at) > last && Date.parse(at) <= line.since);
}

const texts: Readonly<Record<Exclude<EventName, "feed" | "rewritten">, Texts>> = {
  offline: {
    begin: ({ nodes, first, subject }) => [
      `${subject} ${nodes.length === 1 ? "is" : "are"} offline`,
      codeSentence(first),
    ],
    end: (view) =>
      view.nodes.length === 1
        ? endText(view, `is back after ${view.lasted}`)
        : [`${view.subject} are back after ${view.lasted}`, `They were offline for ${view.lasted}.`],
  },
  unstable: {
    begin: ({ subject }) => [
      `${subject} is unstable`,
      "It went offline at least three times in 24 hours. You will not be told about single outages until it has been steady for 24 hours.",
    ],
    end: (view) => endText(view, "has been steady for 24 hours"),
  },
  never_online: {
    begin: ({ subject, first }) => [
      `${subject} has never been online`,
      codeSentence(first) || "No run has shown yet whether it is reachable.",
    ],
    end: (view) => endText(view, `was online for the first time after ${view.lasted}`),
  },
  behind: contentTexts("has been behind for", "is no longer behind"),
  differs: contentTexts("has differed from the reference for", "no longer differs from the reference"),
  wrong_content: contentTexts("has had wrong content for", "no longer has wrong content"),
  ipv4_unreachable: familyTexts("ipv4", "A"),
  ipv6_unreachable: familyTexts("ipv6", "AAAA"),
  certificate: { begin: certificateText, end: certificateText },
};

function contentTexts(is: string, isOver: string): Texts {
  return {
    begin: (view) => [`${view.subject} ${is} ${view.lasted}`, stateOf(view.first, view.feed)],
    end: (view) => endText(view, `${isOver} after ${view.lasted}`),
  };
}

/** Says what is over, and what is wrong with the mirror now. */
function endText({ subject, first, feed }: View, what: string): Text {
  const { state } = first;
  const but = attentionStates.includes(state) ? `, but is ${stateNames[state]} now` : "";
  return [`${subject} ${what}${but}`, stateOf(first, feed) || "It has no known problems."];
}

function familyTexts(family: Family, records: string): Texts {
  const name = familyNames[family];
  return {
    begin: ({ first: { host } }) => [
      `${host} cannot be reached over ${name}`,
      `Its ${records} records make clients try ${name}. Some wait before they fall back, and ${name}-only clients cannot connect. Fix ${name}, or remove the records.`,
    ],
    end: ({ first: { host }, lasted }) => [
      `${host} can be reached over ${name} again after ${lasted}`,
      "The last two checks succeeded.",
    ],
  };
}

function certificateText({ subject, line: { since: until }, at, time }: View): Text {
  return [
    `The certificate of ${subject} ${until > at ? `expires in ${formatDuration(until - at)}` : "has expired"}`,
    `From ${time(until)} on, clients refuse to connect until it is renewed.`,
  ];
}

/** Returns a mirror's name, or text such as `3 mirrors at git.example.org`. */
function subjectOf(nodes: readonly FeedNode[], first: FeedNode): string {
  if (nodes.length === 1) return printable(first.name, 120);
  const isShared = nodes.every(({ host }) => host === first.host);
  return `${formatCount(nodes.length, "mirror")}${isShared ? ` at ${first.host}` : ""}`;
}

/** Describes a mirror's state in a sentence, which is empty if all is well. */
export function stateOf(node: FeedNode, { run }: NotifiedFeed): string {
  return printable(stateSentence(node, Date.parse(run.generated_at)), 500);
}
