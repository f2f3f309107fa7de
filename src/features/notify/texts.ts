import { type Family, familyNames } from "../../core/base/http/address.ts";
import { formatCount, formatInteger } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { MessageEvent } from "./channels/message.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { type ChannelEvent, shortName } from "./events.ts";
import { facts } from "./message-evidence.ts";
import { locationsSentence } from "./locations.ts";
import { contentTexts, now, stillWrong, type Text, type Texts, type View } from "./state-texts.ts";
import type { EventName } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { RewrittenTag } from "../../core/feed/target-reference.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

const maxRef = 200;

export function eventText(event: ChannelEvent): Text & Pick<MessageEvent, "evidence"> {
  const { name, phase, record, gone, nodes, at, time, lasted } = event;
  const [first] = nodes;
  const tags = name === "rewritten" ? rewrittenTags(event) : [];
  // The `since` of a certificate event is when the expiry came near, which is not worth showing.
  const isDated = name !== "certificate";
  const isOver = isDated && phase === "end";
  const evidence = facts([
    ...tags.map(
      ({ tag, from, to = "missing" }) =>
        ["Ref", `${printable(tag, maxRef)}, ${from} before, ${to} now`] as const,
    ),
    ["Since", isDated ? time(record.since) : undefined],
    ["Until", isOver ? time(at) : undefined],
    ["Lasted", isOver ? lasted : undefined],
    ["No longer in mirrors.json", gone.length > 0 ? formatCount(gone.length, "mirror") : undefined],
  ]);
  if (name === "feed") return { ...feedText(event), evidence };
  if (first === undefined) return { ...emptyText(event), evidence };
  if (name === "rewritten") return { ...rewrittenText(event, first, tags), evidence };
  const isOne = nodes.length === 1;
  const subject = isOne ? shortName(first) : mirrorsAt(nodes);
  const verb = (one: string, more: string): string => (isOne ? one : more);
  return { ...texts[name][phase]({ ...event, first, subject, verb }), evidence };
}

function feedText({ record, phase, feed: { site }, lasted, time }: ChannelEvent): Text {
  return phase === "end"
    ? {
        title: `${site.title}: runs are being saved again after ${lasted}`,
        sentence: "You will get notifications about mirrors again.",
      }
    : {
        title: `${site.title}: the next run has been overdue for ${lasted}`,
        sentence: `It was due on ${time(record.since)}. The state of the mirrors has been unknown since then. Check that mirrorfeed is still running.`,
      };
}

function rewrittenText({ record }: ChannelEvent, first: FeedNode, tags: readonly RewrittenTag[]): Text {
  const { place = first.target.place } = record;
  const [tag, ...others] = tags;
  const sentence =
    "A tag should never change. If nobody meant to change it, check who can push to the reference.";
  if (tag === undefined || others.length > 0)
    return { title: `Tags of ${place} moved or vanished`, sentence };
  const name = printable(tag.tag.replace(/^refs\/tags\/(?=.)/, ""), maxRef);
  return { title: `The tag ${name} of ${place} ${tag.to === undefined ? "vanished" : "moved"}`, sentence };
}

/** Returns the rewritten tags that the event is about, as far as the reference still lists them. */
function rewrittenTags({ record, nodes }: ChannelEvent): RewrittenTag[] {
  const { since, decided = since } = record;
  const listed = nodes[0]?.target.reference?.rewritten ?? [];
  return listed.filter(({ at }) => Date.parse(at) >= since && Date.parse(at) <= decided);
}

/** Text for an event whose mirrors were all removed from mirrors.json, or no longer concern the channel. */
function emptyText({ gone, incident }: ChannelEvent): Text {
  const atHost = incident === undefined ? "" : ` at ${incident.host}`;
  const [first, ...others] = gone;
  if (first === undefined)
    return {
      title: `An event${atHost} is over`,
      sentence: "mirrors.json has changed: none of the event's mirrors concern you any more.",
    };
  const subject = others.length === 0 ? `Mirror ${first}` : formatCount(gone.length, "mirror");
  return {
    title: `${subject}${atHost} ${others.length === 0 ? "is" : "are"} no longer in mirrors.json`,
    sentence: `You will get no more notifications about ${others.length === 0 ? "it" : "them"}.`,
  };
}

const texts: Readonly<Record<Exclude<EventName, "feed" | "rewritten">, Texts>> = {
  offline: {
    begin: (view) => ({
      title: offlineTitle(view),
      sentence: withLocations(reasonOf(view.incident?.code ?? view.first.code, view.first), view),
    }),
    end: offlineEnd,
  },
  never_online: {
    begin: ({ subject, first }) => ({
      title: `${subject} has never been online`,
      sentence: withLocations(reasonOf(first.code, first), { nodes: [first] }),
    }),
    end: (view) => ({
      title: `${view.subject} ${isOrWas(view.first)} online for the first time${now[view.first.state].but}`,
      sentence: `It took ${view.lasted}.${stillWrong(view)}`,
    }),
  },
  behind: contentTexts("behind", {
    is: "has been behind for",
    was: "was behind for",
    isOver: "is no longer behind",
  }),
  differs: contentTexts("differs", {
    is: "has differed from the reference for",
    was: "differed from the reference for",
    isOver: "no longer differs from the reference",
  }),
  wrong_content: contentTexts("wrong", {
    is: "has had wrong content for",
    was: "had wrong content for",
    isOver: "no longer has wrong content",
  }),
  ipv4_unreachable: familyTexts("ipv4", "A"),
  ipv6_unreachable: familyTexts("ipv6", "AAAA"),
  certificate: {
    begin: ({ subject, first, at, date }) => {
      const { tls_expires_at: expiry = new Date(at).toISOString() } = first;
      const left = Date.parse(expiry) - at;
      return left > 0
        ? {
            title: `The certificate of ${subject} expires in ${formatDuration(left)}`,
            sentence: `It expires on ${date(expiry)}. After that, clients will refuse to connect unless it is renewed.`,
          }
        : {
            title: `The certificate of ${subject} expired on ${date(expiry)}`,
            sentence: "Clients refuse to connect until it is renewed.",
          };
    },
    end: ({ subject, first: { tls_expires_at: expiry }, date }) => ({
      title: `The certificate of ${subject} no longer expires soon`,
      sentence: expiry === undefined ? "Its expiry date is unknown." : `It is valid until ${date(expiry)}.`,
    }),
  },
};

function familyTexts(family: Family, records: string): Texts {
  const name = familyNames[family];
  return {
    begin: ({ first: { host } }) => ({
      title: `${host} cannot be reached over ${name}`,
      sentence: `Its ${records} records make clients try ${name}. Some wait before they fall back, and ${name}-only clients cannot connect. Fix ${name}, or remove the records.`,
    }),
    end: ({ first: { host, family_outages }, lasted }) =>
      family_outages?.[family] === undefined
        ? {
            title: `${host} can be reached over ${name} again after ${lasted}`,
            sentence: "The last two checks succeeded.",
          }
        : {
            title: `${host}: you will get no more notifications about ${name}`,
            sentence: `It still cannot be reached over ${name}, but mirrors.json has changed.`,
          },
  };
}

function offlineEnd(view: View): Text {
  const { nodes, first, at, subject, verb, lasted } = view;
  // A mirror that went offline again after the event was over counts as back.
  const isStillOffline = nodes.some(
    ({ state, since }) => state === "offline" && since !== undefined && Date.parse(since) < at,
  );
  if (isStillOffline)
    return {
      title: `${subject}: you will get no more notifications about this outage`,
      sentence: `${verb("The mirror is", "Some of the mirrors are")} still offline, but mirrors.json has changed.`,
    };
  const sentence = `${verb("It was", "They were")} offline for ${lasted}.${stillWrong(view)}`;
  if (nodes.length === 1)
    return { title: `${subject} ${isOrWas(first)} back after ${lasted}${now[first.state].but}`, sentence };
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

/** Returns the verb of a title such as `… is back`: `was` if the mirror is offline again. */
function isOrWas({ state }: FeedNode): "is" | "was" {
  return state === "offline" ? "was" : "is";
}

/** If all mirrors of a host are offline, and it has more than one, names the host instead of the mirrors. */
function offlineTitle(view: View): string {
  const { nodes, first, subject, verb, allNodes } = view;
  if (isWholeHost(view)) return `${first.host} is offline: ${mirrorsOfTargets(nodes)}`;
  const isOneHost = nodes.every(({ host }) => host === first.host);
  const all = allNodes.filter(({ host }) => host === first.host).length;
  return nodes.length > 1 && isOneHost
    ? `${formatInteger(nodes.length)} of ${formatCount(all, "mirror")} at ${first.host} are offline`
    : `${subject} ${verb("is", "are")} offline`;
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

function withLocations(sentence: string, { nodes }: Pick<View, "nodes">): string {
  return [sentence, locationsSentence(nodes) ?? []].flat().join(" ");
}

/** Explains a code. If the first mirror has this code, its phase and cause make the explanation more precise. */
function reasonOf(code: string | undefined, first: FeedNode): string {
  if (code === undefined) return "No run has shown yet whether it is reachable.";
  return sentenceOf(code, first.code === code ? first : {});
}
