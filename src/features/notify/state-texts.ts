import { formatInteger, formatList } from "../../core/base/text/count.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Verdict, verdictOf } from "../../core/feed/verdict.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { attentionStates, type MirrorState, stateNames } from "../../core/verdict/mirror-state.ts";

type Time = (at: string) => string;

/**
 * What the texts say about a mirror's current state. `but` is appended to the title of an event that is over, and
 * `sentence` describes the state.
 */
const states: Readonly<
  Record<MirrorState, { readonly but: string; readonly sentence: (node: FeedNode, time: Time) => string }>
> = {
  offline: {
    but: ", but is offline now",
    sentence: ({ since }, time) =>
      since === undefined ? "It is offline." : `It has been offline since ${time(since)}.`,
  },
  wrong: {
    but: ", but its content is wrong",
    sentence: ({ content_code = "" }) => sentenceOf(content_code),
  },
  differs: {
    but: ", but differs from the reference",
    sentence: ({ target }) => `Its content does not match the reference of ${target.place}.`,
  },
  behind: {
    but: ", but is behind",
    sentence: ({ target }) => `It has not picked up the latest changes in ${target.place} yet.`,
  },
  maintenance: { but: ", and is in maintenance", sentence: () => "It is in maintenance." },
  unknown: { but: "", sentence: () => "No run has shown yet whether it is reachable." },
  online: {
    but: "",
    sentence: ({ freshness }) =>
      freshness === "in_sync" ? "It is in sync with its reference." : "It has no known problems.",
  },
};

export function butNow({ state }: FeedNode): string {
  return states[state].but;
}

export function stateSentence(node: FeedNode, time: Time): string {
  return states[node.state].sentence(node, time);
}

/** Returns a space and a sentence about the problems that mirrors still have. Empty if they have none. */
export function stillWrong(nodes: readonly FeedNode[], time: Time): string {
  const [first, ...others] = nodes;
  if (first !== undefined && others.length === 0)
    return attentionStates.includes(first.state) ? ` ${stateSentence(first, time)}` : "";
  const { counts } = verdictOf([{ nodes }]);
  const found = countedStates(counts, attentionStates);
  return found.length === 0 ? "" : ` Of these, ${formatList(found, "and")}.`;
}

/** Counts mirrors by state, such as `1 is behind`. Leaves out states without mirrors. */
export function countedStates(counts: Verdict["counts"], all: readonly MirrorState[]): string[] {
  return all
    .filter((state) => counts[state] > 0)
    .map(
      (state) => `${formatInteger(counts[state])} ${counts[state] === 1 ? "is" : "are"} ${stateNames[state]}`,
    );
}

const maxName = 120;

export function shortName({ name }: FeedNode): string {
  return printable(name, maxName);
}
