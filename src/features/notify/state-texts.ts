import { formatInteger, formatList } from "../../core/base/text/count.ts";
import { stateNames, attentionStates, type MirrorState } from "../../core/verdict/mirror-state.ts";
import type { MessageEvent } from "./channels/message.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { ChannelEvent } from "./events.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Verdict, verdictOf } from "../../core/feed/verdict.ts";

export type Text = Pick<MessageEvent, "title" | "sentence">;

/** An event about at least one mirror. */
export interface View extends ChannelEvent {
  readonly first: FeedNode;
  /** The mirror's name or, with several mirrors, their number and host. */
  readonly subject: string;
  /** Chooses the verb's singular or plural form. */
  readonly verb: (one: string, more: string) => string;
}

export type Texts = Readonly<Record<"begin" | "end", (view: View) => Text>>;

/**
 * What the texts say about a mirror's current state. `but` is appended to the title of an event that is over, and
 * `sentence` describes the state.
 */
export const now: Readonly<
  Record<MirrorState, { readonly but: string; readonly sentence: (view: View) => string }>
> = {
  offline: {
    but: ", but is offline now",
    sentence: ({ first: { since }, time }) =>
      since === undefined ? "It is offline." : `It has been offline since ${time(since)}.`,
  },
  wrong: {
    but: ", but its content is wrong",
    sentence: ({ first: { content_code = "" } }) => sentenceOf(content_code),
  },
  differs: {
    but: ", but differs from the reference",
    sentence: ({ first: { target } }) => `Its content does not match the reference of ${target.place}.`,
  },
  behind: {
    but: ", but is behind",
    sentence: ({ first: { target } }) => `It has not picked up the latest changes in ${target.place} yet.`,
  },
  maintenance: { but: ", and is in maintenance", sentence: () => "It is in maintenance." },
  unknown: { but: "", sentence: () => "No run has shown yet whether it is reachable." },
  online: {
    but: "",
    sentence: ({ first: { freshness } }) =>
      freshness === "in_sync" ? "It is in sync with its reference." : "It has no known problems.",
  },
};

/**
 * Returns the texts of an event about the content of one mirror. By the time the channel hears that the event has
 * begun, the mirror may have a different state.
 */
export function contentTexts(
  state: MirrorState,
  { is, was, isOver }: Readonly<Record<"is" | "was" | "isOver", string>>,
): Texts {
  return {
    begin: (view) => ({
      title: `${view.subject} ${view.first.state === state ? is : was} ${view.lasted}`,
      sentence: now[view.first.state].sentence(view),
    }),
    end: (view) => {
      const { subject, first, lasted } = view;
      const title =
        first.state !== "online"
          ? `${subject} ${isOver}${now[first.state].but}`
          : first.freshness === "in_sync"
            ? `${subject} is in sync again after ${lasted}`
            : `${subject} ${isOver}, after ${lasted}`;
      return { title, sentence: now[first.state].sentence(view) };
    },
  };
}

/**
 * Returns a space and a sentence about the problems that the mirrors still have. Returns an empty string if they have
 * none.
 */
export function stillWrong(view: View): string {
  const { nodes, first } = view;
  if (nodes.length === 1)
    return attentionStates.includes(first.state) ? ` ${now[first.state].sentence(view)}` : "";
  const { counts } = verdictOf([{ nodes }]);
  const found = countedStates(counts, attentionStates);
  return found.length === 0 ? "" : ` Of these, ${formatList(found, "and")}.`;
}

/** Counts mirrors by state, such as `1 is behind`. Leaves out states without mirrors. */
export function countedStates(counts: Verdict["counts"], states: readonly MirrorState[]): string[] {
  return states
    .filter((state) => counts[state] > 0)
    .map(
      (state) => `${formatInteger(counts[state])} ${counts[state] === 1 ? "is" : "are"} ${stateNames[state]}`,
    );
}
