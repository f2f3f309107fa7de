import type { EventName } from "../config/notify.ts";
import type { Node } from "../config/nodes.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import type { NodeEvidence } from "../feed/evidence.ts";
import { isoTimestamp } from "../feed/timestamp.ts";
import { formatCount, formatInteger } from "../base/text/count.ts";
import { formatDuration } from "../base/text/duration.ts";
import type { ChannelEvent } from "./channel-events.ts";
import { type Composing, incidentOf, shortName } from "./composing.ts";

/** The title of an event in one line, and what it means. */
export interface TitleAndSentence {
  readonly title: string;
  readonly sentence: string;
}

/** What the texts of an event about mirrors need. */
interface View {
  readonly event: ChannelEvent;
  readonly composing: Composing;
  readonly nodes: readonly Node[];
  /** The first of them, and what is known of it. */
  readonly first: Node;
  readonly known: NodeEvidence;
  /** The name of the only mirror, or their number and host. */
  readonly subject: string;
  /** Returns the first form of a verb if there is one mirror, and the other one if there are more. */
  readonly verb: (one: string, more: string) => string;
  /** How long it has lasted, in words. */
  readonly lasted: string;
}

type Texts = Readonly<Record<"begin" | "end", (view: View) => TitleAndSentence>>;

/** The texts of events about mirrors. */
const texts: Readonly<Record<Exclude<EventName, "feed" | "rewritten">, Texts>> = {
  offline: {
    begin: (view) => ({
      title: offlineTitle(view),
      sentence: reasonOf(incidentOf(view.composing, view.event.record)?.code ?? view.known.code, view),
    }),
    end: offlineEnd,
  },
  never_online: {
    begin: (view) => ({
      title: `${view.subject} ${view.verb("has", "have")} never answered`,
      sentence: reasonOf(view.known.code, view),
    }),
    end: ({ subject, verb, lasted }) => ({
      title: `${subject} ${verb("answers", "answer")} for the first time`,
      sentence: `It took ${lasted}.`,
    }),
  },
  behind: {
    begin: ({ subject, verb, lasted, first }) => ({
      title: `${subject} ${verb("is", "are")} behind for ${lasted}`,
      sentence: `The content is what the reference of ${first.place} had before.`,
    }),
    end: contentEnd,
  },
  differs: {
    begin: ({ subject, verb, first }) => ({
      title: `${subject} ${verb("differs", "differ")} from the reference`,
      sentence: `The content is not that of the reference of ${first.place}.`,
    }),
    end: contentEnd,
  },
  wrong_content: {
    begin: ({ subject, known }) => ({
      title: `The content of ${subject} is wrong`,
      sentence: sentenceOf(known.content_code ?? ""),
    }),
    end: contentEnd,
  },
  certificate: {
    begin: ({ subject, known, composing: { at, date } }) => {
      const expiry = known.tls_expires_at ?? isoTimestamp(at);
      const left = Date.parse(expiry) - at;
      return left > 0
        ? {
            title: `The certificate of ${subject} expires in ${formatDuration(left)}`,
            sentence: `Clients refuse the connection from ${date(expiry)} on, unless it is renewed.`,
          }
        : {
            title: `The certificate of ${subject} expired on ${date(expiry)}`,
            sentence: "Clients refuse the connection until it is renewed.",
          };
    },
    end: ({ subject, known, composing: { date } }) => ({
      title: `The certificate of ${subject} was renewed`,
      sentence:
        known.tls_expires_at === undefined
          ? "Its expiry is unknown."
          : `It is valid until ${date(known.tls_expires_at)}.`,
    }),
  },
};

/** Returns the texts of an event about mirrors, when it begins or is over. Throws if it has none of its own. */
export function mirrorText(event: ChannelEvent, first: Node, composing: Composing): TitleAndSentence {
  const { name, phase, nodes, record } = event;
  if (name === "feed" || name === "rewritten") throw new Error(`The event ${name} is not about mirrors.`);
  const isOne = nodes.length === 1;
  return texts[name][phase]({
    event,
    composing,
    nodes,
    first,
    known: composing.known(first),
    subject: isOne ? shortName(first) : mirrorsAt(nodes),
    verb: (one, more) => (isOne ? one : more),
    lasted: formatDuration(composing.at - record.since),
  });
}

function offlineEnd({ nodes, first, composing, subject, verb, lasted }: View): TitleAndSentence {
  // One that is offline since then was back.
  const isStillOffline = nodes.some(({ id }) => {
    const stored = composing.state.nodes[id];
    return stored?.status === 0 && stored.since < composing.at;
  });
  if (isStillOffline)
    return {
      title: `${subject}: you will get no more messages about this outage`,
      sentence: `${verb("The mirror is", "Some of the mirrors are")} still offline, but mirrors.json has changed.`,
    };
  return {
    title: isWholeHost(nodes, composing)
      ? `${first.host} is back after ${lasted}: ${mirrorsOfTargets(nodes)}`
      : `${subject} ${verb("is", "are")} back after ${lasted}`,
    sentence: `${verb("It was", "They were")} offline for ${lasted}.`,
  };
}

function contentEnd({ subject, verb, lasted, known, event, composing }: View): TitleAndSentence {
  const isOffline = known.status === 0;
  if (!isOffline && known.freshness === "in_sync" && known.content_code === undefined)
    return {
      title: `${subject} ${verb("is", "are")} in sync again after ${lasted}`,
      sentence: "The content is that of the reference.",
    };
  const was = event.name === "behind" ? "behind" : "different from the reference";
  const title =
    event.name === "wrong_content"
      ? `The content of ${subject} is no longer wrong, after ${lasted}`
      : `${subject} ${verb("is", "are")} no longer ${was}, after ${lasted}`;
  return {
    title,
    sentence: isOffline
      ? `${verb("It has", "They have")} been offline since ${composing.time(known.since ?? "")}.`
      : "Its evidence says what is known of the content now.",
  };
}

/** Returns the title of mirrors that are offline: the host is, if all of its mirrors are. */
function offlineTitle({ nodes, first, subject, verb, composing }: View): string {
  if (isWholeHost(nodes, composing)) return `${first.host} is offline: ${mirrorsOfTargets(nodes)}`;
  const isOneHost = new Set(nodes.map(({ host }) => host)).size === 1;
  const all = composing.nodes.filter(({ host }) => host === first.host).length;
  return nodes.length > 1 && isOneHost
    ? `${formatInteger(nodes.length)} of ${formatCount(all, "mirror")} at ${first.host} are offline`
    : `${subject} ${verb("is", "are")} offline`;
}

function isWholeHost(nodes: readonly Node[], { nodes: all }: Composing): boolean {
  const hosts = new Set(nodes.map(({ host }) => host));
  return (
    nodes.length > 1 && hosts.size === 1 && all.filter(({ host }) => hosts.has(host)).length === nodes.length
  );
}

/** Returns how many mirrors and targets there are: `3 mirrors of 2 targets`. */
function mirrorsOfTargets(nodes: readonly Node[]): string {
  const targets = new Set(nodes.map(({ place }) => place)).size;
  return `${formatCount(nodes.length, "mirror")} of ${formatCount(targets, "target")}`;
}

function mirrorsAt(nodes: readonly Node[]): string {
  const hosts = [...new Set(nodes.map(({ host }) => host))];
  const count = formatCount(nodes.length, "mirror");
  return hosts.length === 1 ? `${count} at ${hosts.join("")}` : count;
}

/** Returns what a code means. The phase and the cause of the first mirror count if it has this code. */
function reasonOf(code: string | undefined, { known }: View): string {
  if (code === undefined) return "No run has observed it yet.";
  return sentenceOf(code, known.code === code ? known : {});
}
