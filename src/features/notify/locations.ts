import { formatList } from "../../core/base/text/count.ts";
import { evidence } from "../../core/kinds/kinds.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

const maxVantages = 10;

/**
 * Returns the last code from each location, such as `eu (timeout), usa (ok)`. Undefined if there is only one location.
 */
export function locationCodes(node: FeedNode): string | undefined {
  const seen = node.vantages().map(({ vantage, code = "not observed" }) => `${vantage} (${code})`);
  return seen.length < 2 ? undefined : shortened(seen).join(", ");
}

/**
 * Returns a sentence such as `It can be reached from usa, but not from eu or asia.` Undefined if there is only one
 * location, or if the last run saw no failure.
 */
export function locationsSentence(nodes: readonly FeedNode[]): string | undefined {
  const seen = nodes.map((node) => node.vantages());
  if (seen.every((vantages) => vantages.length < 2)) return undefined;
  const parts = new Set(seen.map((vantages) => sentenceAbout(vantages, nodes.length === 1)));
  const [sentence] = parts;
  return parts.size === 1 ? sentence : "The locations disagree about some of them.";
}

function sentenceAbout(vantages: ReturnType<FeedNode["vantages"]>, isOne: boolean): string | undefined {
  const seeing = (status: 0 | 1): string[] =>
    shortened(vantages.flatMap(({ vantage, code }) => (evidence(code) === status ? vantage : [])));
  const [failing, working] = [formatList(seeing(0), "or"), formatList(seeing(1), "and")];
  const subject = isOne ? "It" : "They";
  if (failing === "") return undefined;
  return working === ""
    ? `${subject} cannot be reached from ${failing}.`
    : `${subject} can be reached from ${working}, but not from ${failing}.`;
}

function shortened(names: readonly string[]): string[] {
  const more = names.length - maxVantages;
  return more > 0 ? [...names.slice(0, maxVantages), `${more} more`] : [...names];
}
