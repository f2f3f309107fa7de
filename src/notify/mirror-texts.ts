import type { EventName } from "../config/notify.ts";
import type { NetworkNode } from "../config/nodes.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import { timestampIfAny } from "../model/timestamp.ts";
import type { NodeState } from "../state/document.ts";
import { type Freshness, freshnessOf } from "../state/freshness.ts";
import { formatCount, formatInteger } from "../text/count.ts";
import { formatDuration } from "../text/duration.ts";
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
  readonly nodes: readonly NetworkNode[];
  /** The first of them, what is known of it, and how its content relates to the reference. */
  readonly first: NetworkNode;
  readonly stored: NodeState | undefined;
  readonly freshness: Freshness["state"];
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
      sentence: reasonOf(incidentOf(view.composing, view.event.record)?.code ?? view.stored?.code, view),
    }),
    end: offlineEnd,
  },
  never_online: {
    begin: (view) => ({
      title: `${view.subject} ${view.verb("has", "have")} never answered`,
      sentence: reasonOf(view.stored?.code, view),
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
    begin: ({ subject, stored }) => ({
      title: `The content of ${subject} is wrong`,
      sentence: sentenceOf(stored?.content_code ?? ""),
    }),
    end: contentEnd,
  },
  certificate: {
    begin: ({ subject, stored, composing: { at, date } }) => {
      const expiry = stored?.tls_expires_at ?? at;
      return expiry > at
        ? {
            title: `The certificate of ${subject} expires in ${formatDuration(expiry - at)}`,
            sentence: `Clients refuse the connection from ${date(expiry)} on, unless it is renewed.`,
          }
        : {
            title: `The certificate of ${subject} expired on ${date(expiry)}`,
            sentence: "Clients refuse the connection until it is renewed.",
          };
    },
    end: ({ subject, stored, composing: { date } }) => ({
      title: `The certificate of ${subject} was renewed`,
      sentence:
        stored?.tls_expires_at === undefined
          ? "Its expiry is unknown."
          : `It is valid until ${date(stored.tls_expires_at)}.`,
    }),
  },
};

/** Returns the texts of an event about mirrors, when it begins or is over. Throws if it has none of its own. */
export function mirrorText(event: ChannelEvent, first: NetworkNode, composing: Composing): TitleAndSentence {
  const { name, phase, nodes, record } = event;
  if (name === "feed" || name === "rewritten") throw new Error(`The event ${name} is not about mirrors.`);
  const { state, at } = composing;
  const stored = state.nodes[first.id];
  const isOne = nodes.length === 1;
  return texts[name][phase === "end" ? "end" : "begin"]({
    event,
    composing,
    nodes,
    first,
    stored,
    freshness: freshnessOf(stored, state.references[first.place]).state,
    subject: isOne ? shortName(first) : mirrorsAt(nodes),
    verb: (one, more) => (isOne ? one : more),
    lasted: formatDuration(at - record.since),
  });
}

function offlineEnd({ nodes, first, composing, subject, verb, lasted }: View): TitleAndSentence {
  const { state, at } = composing;
  const wasBack = ({ status, since }: NodeState): boolean => status === 1 || since >= at;
  const isStillOffline = nodes.some(({ id }) => {
    const stored = state.nodes[id];
    return stored !== undefined && !wasBack(stored);
  });
  if (isStillOffline)
    return {
      title: `${subject}: you hear no more of this outage`,
      sentence: `${verb("The mirror is", "Some of the mirrors are")} still offline, but mirrors.json has changed.`,
    };
  return {
    title: isWholeHost(nodes, composing)
      ? `${first.host} is back after ${lasted}: ${mirrorsOfTargets(nodes)}`
      : `${subject} ${verb("is", "are")} back after ${lasted}`,
    sentence: `${verb("It was", "They were")} offline for ${lasted}.`,
  };
}

function contentEnd({ subject, verb, lasted, stored, freshness, event, composing }: View): TitleAndSentence {
  const isOffline = stored?.status === 0;
  if (!isOffline && freshness === "in_sync" && stored?.content_code === undefined)
    return {
      title: `${subject} ${verb("is", "are")} in sync again after ${lasted}`,
      sentence: "The content is that of the reference.",
    };
  const was = { behind: "behind", differs: "different from the reference" } as const;
  const title =
    event.name === "wrong_content"
      ? `The content of ${subject} is no longer wrong, after ${lasted}`
      : `${subject} ${verb("is", "are")} no longer ${event.name === "behind" ? was.behind : was.differs}, after ${lasted}`;
  return {
    title,
    sentence: isOffline
      ? `${verb("It is", "They are")} offline since ${composing.time(stored.since)}.`
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

function isWholeHost(nodes: readonly NetworkNode[], { nodes: all }: Composing): boolean {
  const hosts = new Set(nodes.map(({ host }) => host));
  return (
    nodes.length > 1 && hosts.size === 1 && all.filter(({ host }) => hosts.has(host)).length === nodes.length
  );
}

/** Returns how many mirrors and targets there are: `3 mirrors of 2 targets`. */
function mirrorsOfTargets(nodes: readonly NetworkNode[]): string {
  const targets = new Set(nodes.map(({ place }) => place)).size;
  return `${formatCount(nodes.length, "mirror")} of ${formatCount(targets, "target")}`;
}

function mirrorsAt(nodes: readonly NetworkNode[]): string {
  const hosts = [...new Set(nodes.map(({ host }) => host))];
  const count = formatCount(nodes.length, "mirror");
  return hosts.length === 1 ? `${count} at ${hosts.join("")}` : count;
}

/** Returns what a code means. The phase and the cause of the first mirror count if it has this code. */
function reasonOf(code: string | undefined, { stored }: View): string {
  if (code === undefined) return "No run has observed it yet.";
  if (stored?.code !== code) return sentenceOf(code);
  const { phase, cause, tls_expires_at: expiry } = stored;
  return sentenceOf(code, { phase, cause, tls_expires_at: timestampIfAny(expiry) });
}
