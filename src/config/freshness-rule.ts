import * as z from "zod";
import { type ContentCode, contentCodeNames } from "../kinds/content-codes.ts";
import { strictObject } from "../kinds/strict-object.ts";
import { durationKey } from "./duration-key.ts";
import { parseDuration } from "../base/text/duration.ts";

/** When content makes a mirror offline. */
export interface FreshnessRule {
  /** How long it must have been so. */
  readonly offlineAfterMs: number;
  readonly states: readonly ("behind" | "differs")[];
  readonly codes: readonly ContentCode[];
}

/** The key `freshness` of a level. Each of its keys replaces that of the level above. */
export const freshnessKey = strictObject({
  offlineAfter: durationKey()
    .describe(
      "How long the content of a node must have been behind, different or wrong, such as 30m, 24h or 7d.",
    )
    .meta({ examples: ["24h"] })
    .exactOptional(),
  states: z
    .array(z.enum(["behind", "differs"]))
    .max(2)
    .describe("The freshness that makes a node offline (default: both).")
    .meta({ examples: [["behind"]] })
    .exactOptional(),
  codes: z
    .array(z.enum(contentCodeNames))
    .max(10)
    .describe("The codes of content that make a node offline (default: none).")
    .meta({ examples: [["missing_file", "expired"]] })
    .exactOptional(),
})
  .exactOptional()
  .describe(
    "Which content makes a node offline, though it is reachable. Without offlineAfter none does. The last reachable node of a target stays online.",
  )
  .meta({ examples: [{ offlineAfter: "24h" }] });

type Keys = NonNullable<z.infer<typeof freshnessKey>>;

/** Returns the rule of a node from the keys of its levels, the outermost first; undefined if content changes no status. */
export function freshnessRule(levels: readonly (Keys | undefined)[]): FreshnessRule | undefined {
  const merged = levels.reduce<Keys>((above, own) => ({ ...above, ...own }), {});
  const { offlineAfter, states = ["behind", "differs"], codes = [] } = merged;
  return offlineAfter === undefined
    ? undefined
    : { offlineAfterMs: parseDuration(offlineAfter), states, codes };
}
