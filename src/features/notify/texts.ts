import { type Family, familyNames } from "../../core/base/http/address.ts";
import { formatCount, formatInteger } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { EventName } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { RewrittenTag } from "../../core/feed/target-reference.ts";
import { verdictOf } from "../../core/feed/verdict.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { MessageEvent } from "./channels/message.ts";
import type { ChannelEvent } from "./events.ts";
import { facts, locationsSentence } from "./message-evidence.ts";
import { butNow, shortName, stateSentence, stillWrong } from "./state-texts.ts";

const maxRef = 200;

type Text = Pick<MessageEvent, "title" | "sentence">;

/** An event about at least one mirror. */
interface View extends ChannelEvent {
  readonly first: FeedNode;
  /** The mirror's name or, with several mirrors, their number and host. */
  readonly subject: string;
}

type Texts = Readonly<Record<"begin" | "end", (view: View) => Text>>;

export function eventText(event: ChannelEvent): Text & Pick<MessageEvent, "evidence"> {
  const { phase, line, nodes, at, time, lasted } = event;
  const [first] = nodes;
  const tags = line.event === "rewritten" ? rewrittenTags(event) : [];
  // The `since` of a certificate event is when the expiry came near, which is not worth showing.
  const isDated = line.event !== "certificate";
  const evidence = facts([
    ...tags.map(
      ({ tag, from, to = "missing" }) =>
        ["Ref", `${printable(tag, maxRef)}, ${from} before, ${to} now`] as const,
    ),
    ["Since", isDated ? time(line.since) : undefined],
    ["Until", phase === "end" ? time(at) : undefined],
    ["Lasted", phase === "end" ? lasted : undefined],
  ]);
  if (line.event === "feed" || first === undefined) return { ...feedText(event), evidence };
  if (line.event === "rewritten") return { ...rewrittenText(event, tags), evidence };
  const view = { ...event, first, subject: nodes.length === 1 ? shortName(first) : mirrorsAt(nodes) };
  const own = texts[line.event];
  return { ...(typeof own === "function" ? own(view) : own[phase](view)), evidence };
}

function feedText({ line, phase, feed: { site, url = "" }, lasted, time }: ChannelEvent): Text {
  if (line.subject === "site")
    return phase === "end"
      ? { title: `${site.title}: the published site is up to date again`, sentence: `It is ${url}/.` }
      : {
          title: `${site.title}: the published site is out of date`,
          sentence: `Newer runs were saved, but ${url}/ still shows the run of ${time(line.since)}. Check whether publishing has failed.`,
        };
  return phase === "end"
    ? {
        title: `${site.title}: runs are being saved again after ${lasted}`,
        sentence: "You will get notifications about mirrors again.",
      }
    : {
        title: `${site.title}: the next run is overdue`,
        sentence: `It was due on ${time(line.since)}. The state of the mirrors has been unknown since then. Check that mirrorfeed is still running.`,
      };
}

function rewrittenText({ line }: ChannelEvent, tags: readonly RewrittenTag[]): Text {
  const place = line.subject;
  const [tag, ...others] = tags;
  const sentence =
    "A tag should never change. If nobody meant to change it, check who can push to the reference.";
  if (tag === undefined || others.length > 0)
    return { title: `Tags of ${place} moved or vanished`, sentence };
  const name = printable(tag.tag.replace(/^refs\/tags\/(?=.)/, ""), maxRef);
  return { title: `The tag ${name} of ${place} ${tag.to === undefined ? "vanished" : "moved"}`, sentence };
}

/** Returns the rewritten tags that the event is about, as far as the reference still lists them. */
function rewrittenTags({ line: { since, until = since }, nodes }: ChannelEvent): RewrittenTag[] {
  const listed = nodes[0]?.target.reference?.rewritten ?? [];
  return listed.filter(({ at }) => Date.parse(at) >= since && Date.parse(at) <= until);
}

/** The texts of events that have no end are functions. */
const texts: Readonly<Record<Exclude<EventName, "feed" | "rewritten">, Texts | ((view: View) => Text)>> = {
  offline: {
    begin: (view) => ({
      title: offlineTitle(view),
      sentence: withLocations(reasonOf(view.incident?.code ?? view.first.code, view.first), view.nodes),
    }),
    end: offlineEnd,
  },
  unstable: {
    begin: ({ subject }) => ({
      title: `${subject} is unstable`,
      sentence:
        "It went offline at least three times in 24 hours. You will not be told about single outages until it has been steady for 24 hours.",
    }),
    end: ({ subject, first, time }) => ({
      title: `${subject} has been steady for 24 hours${butNow(first)}`,
      sentence: stateSentence(first, time),
    }),
  },
  never_online: {
    begin: ({ subject, first }) => ({
      title: `${subject} has never been online`,
      sentence: withLocations(reasonOf(first.code, first), [first]),
    }),
    end: ({ subject, first, nodes, lasted, time }) => ({
      title: `${subject} ${first.state === "offline" ? "was" : "is"} online for the first time${butNow(first)}`,
      sentence: `It took ${lasted}.${stillWrong(nodes, time)}`,
    }),
  },
  behind: contentTexts("has been behind for", "is no longer behind"),
  differs: contentTexts("has differed from the reference for", "no longer differs from the reference"),
  wrong_content: contentTexts("has had wrong content for", "no longer has wrong content"),
  ipv4_unreachable: familyTexts("ipv4", "A"),
  ipv6_unreachable: familyTexts("ipv6", "AAAA"),
  certificate: ({ subject, line: { until = 0 }, at, date }) =>
    until > at
      ? {
          title: `The certificate of ${subject} expires in ${formatDuration(until - at)}`,
          sentence: `It expires on ${date(until)}. After that, clients will refuse to connect unless it is renewed.`,
        }
      : {
          title: `The certificate of ${subject} expired on ${date(until)}`,
          sentence: "Clients refuse to connect until it is renewed.",
        },
};

function contentTexts(is: string, isOver: string): Texts {
  return {
    begin: ({ subject, first, lasted, time }) => ({
      title: `${subject} ${is} ${lasted}`,
      sentence: stateSentence(first, time),
    }),
    end: ({ subject, first, lasted, time }) => ({
      title:
        first.state !== "online"
          ? `${subject} ${isOver}${butNow(first)}`
          : first.freshness === "in_sync"
            ? `${subject} is in sync again after ${lasted}`
            : `${subject} ${isOver}, after ${lasted}`,
      sentence: stateSentence(first, time),
    }),
  };
}

function familyTexts(family: Family, records: string): Texts {
  const name = familyNames[family];
  return {
    begin: ({ first: { host } }) => ({
      title: `${host} cannot be reached over ${name}`,
      sentence: `Its ${records} records make clients try ${name}. Some wait before they fall back, and ${name}-only clients cannot connect. Fix ${name}, or remove the records.`,
    }),
    end: ({ first: { host }, lasted }) => ({
      title: `${host} can be reached over ${name} again after ${lasted}`,
      sentence: "The last two checks succeeded.",
    }),
  };
}

function offlineEnd(view: View): Text {
  const { nodes, first, subject, lasted, time } = view;
  const isOne = nodes.length === 1;
  const sentence = `${isOne ? "It was" : "They were"} offline for ${lasted}.${stillWrong(nodes, time)}`;
  if (isOne) return { title: `${subject} is back after ${lasted}${butNow(first)}`, sentence };
  const { attention } = verdictOf([{ nodes }]);
  const but =
    attention === 0
      ? ""
      : `, but ${formatInteger(attention)} of them ${attention === 1 ? "needs" : "need"} attention`;
  return {
    title: isWholeHost(view)
      ? `${first.host} is back after ${lasted}: ${mirrorsOfTargets(nodes)}${but}`
      : `${subject} are back after ${lasted}${but}`,
    sentence,
  };
}

/** If all mirrors of a host are offline, and it has more than one, names the host instead of the mirrors. */
function offlineTitle(view: View): string {
  const { nodes, first, subject, allNodes } = view;
  if (isWholeHost(view)) return `${first.host} is offline: ${mirrorsOfTargets(nodes)}`;
  if (nodes.length === 1) return `${subject} is offline`;
  const all = allNodes.filter(({ host }) => host === first.host).length;
  return `${formatInteger(nodes.length)} of ${formatCount(all, "mirror")} at ${first.host} are offline`;
}

function isWholeHost({ nodes, first: { host }, allNodes }: View): boolean {
  const atHost = allNodes.filter((node) => node.host === host);
  return nodes.length > 1 && nodes.length === atHost.length && nodes.every((node) => node.host === host);
}

/** Returns text such as `3 mirrors of 2 targets`. */
function mirrorsOfTargets(nodes: readonly FeedNode[]): string {
  const targets = new Set(nodes.map(({ target }) => target)).size;
  return `${formatCount(nodes.length, "mirror")} of ${formatCount(targets, "target")}`;
}

function mirrorsAt(nodes: readonly FeedNode[]): string {
  const [host, ...others] = new Set(nodes.map((node) => node.host));
  const count = formatCount(nodes.length, "mirror");
  return others.length === 0 && host !== undefined ? `${count} at ${host}` : count;
}

function withLocations(sentence: string, nodes: readonly FeedNode[]): string {
  return [sentence, locationsSentence(nodes) ?? []].flat().join(" ");
}

/** Explains a code. If the first mirror has this code, its phase and cause make the explanation more precise. */
function reasonOf(code: string | undefined, first: FeedNode): string {
  if (code === undefined) return "No run has shown yet whether it is reachable.";
  return sentenceOf(code, first.code === code ? first : {});
}
