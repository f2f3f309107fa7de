import type { Fact, MessageEvent } from "../channels/message.ts";
import { formatCount } from "../base/text/count.ts";
import { formatDuration } from "../base/text/duration.ts";
import { printable } from "../base/text/quote.ts";
import type { ChannelEvent } from "./channel-events.ts";
import { type Composing, incidentOf } from "./composing.ts";
import { mirrorText, type TitleAndSentence } from "./mirror-texts.ts";

const maxRef = 200;

/** Returns what a message says of an event that begins or is over. */
export function eventText(
  event: ChannelEvent,
  composing: Composing,
): TitleAndSentence & Pick<MessageEvent, "evidence"> {
  const { name, phase, record, gone } = event;
  const { time, at } = composing;
  const lasted: Fact[] =
    phase === "end"
      ? [
          ["Until", time(at)],
          ["Lasted", formatDuration(at - record.since)],
        ]
      : [];
  // That of a certificate is when its expiry became near.
  const times: Fact[] = name === "certificate" ? [] : [["Since", time(record.since)], ...lasted];
  return {
    ...titleAndSentence(event, composing),
    evidence: [
      ...tagEvidence(event, composing),
      ...times,
      ...(gone.length === 0
        ? []
        : [["No longer in mirrors.json", formatCount(gone.length, "mirror")] as const]),
    ],
  };
}

function titleAndSentence(event: ChannelEvent, composing: Composing): TitleAndSentence {
  const [first] = event.nodes;
  if (event.name === "feed") return feedText(event, composing);
  if (first === undefined) return emptyText(event, composing);
  if (event.name === "rewritten") return rewrittenText(event, composing);
  return mirrorText(event, first, composing);
}

function feedText({ record, phase }: ChannelEvent, { config, time, at }: Composing): TitleAndSentence {
  const { title } = config.site;
  const lasted = formatDuration(at - record.since);
  return phase === "end"
    ? {
        title: `${title}: runs are saved again after ${lasted}`,
        sentence: "Messages about mirrors come again.",
      }
    : {
        title: `${title}: the next run is overdue for ${lasted}`,
        sentence: `It was due on ${time(record.since)}. Nothing is known of the mirrors since then, so look at what runs mirrorfeed.`,
      };
}

function rewrittenText({ record, nodes }: ChannelEvent, composing: Composing): TitleAndSentence {
  const place = record.place ?? nodes[0]?.place ?? "";
  const [, , , to] = rewrittenTag(record, composing) ?? [];
  return {
    title: `${refName(record.ref)} of ${place} ${to === "" ? "vanished" : "moved"}`,
    sentence:
      "A tag should stay what it was. If the change was not meant, look at who may push to the reference.",
  };
}

function tagEvidence({ name, record }: ChannelEvent, composing: Composing): Fact[] {
  const [, , from, to] = (name === "rewritten" ? rewrittenTag(record, composing) : undefined) ?? [];
  if (from === undefined) return [];
  return [
    ["Ref", printable(record.ref ?? "", maxRef)],
    ["Before", from],
    ["Now", to === "" || to === undefined ? "missing" : to],
  ];
}

/** Returns what the state knows of the last change of a tag. */
function rewrittenTag(
  { place, ref }: ChannelEvent["record"],
  { state }: Composing,
): readonly [at: number, tag: string, from: string, to: string] | undefined {
  return state.references[place ?? ""]?.rewritten?.findLast(([, tag]) => tag === ref);
}

function refName(ref = ""): string {
  const tag = /^refs\/tags\/(.+)$/.exec(ref)?.[1];
  return `The tag ${printable(tag ?? ref, maxRef)}`;
}

/** Returns the text of an event whose mirrors are no longer in mirrors.json, or no longer concern the channel. */
function emptyText({ gone, record }: ChannelEvent, composing: Composing): TitleAndSentence {
  const host = incidentOf(composing, record)?.host;
  const [first, ...others] = gone;
  const subject =
    first === undefined
      ? "An event"
      : others.length === 0
        ? `Mirror ${first}`
        : formatCount(gone.length, "mirror");
  const atHost = host === undefined ? "" : ` at ${host}`;
  return first === undefined
    ? {
        title: `${subject}${atHost} is over`,
        sentence: "No mirror of it concerns you any more: mirrors.json has changed.",
      }
    : {
        title: `${subject}${atHost} ${others.length === 0 ? "is" : "are"} no longer in mirrors.json`,
        sentence: "No message follows.",
      };
}
