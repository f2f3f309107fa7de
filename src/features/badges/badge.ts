import * as z from "../../core/base/zod.ts";
import { badgen } from "badgen";
import { jsonText } from "../../core/contract/contract.ts";
import { type SiteFile } from "../../core/base/files/site-file.ts";
import { type Feed, type Target, targetsOf } from "../../core/feed/feed.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

/** A badge in the format of a shields.io endpoint: https://shields.io/badges/endpoint-badge */
export const badgeSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    label: z.string().describe("The name of the target."),
    message: z
      .string()
      .describe(
        "How many of its mirrors are online, such as `3 of 4 online`, or the target's state if none is, such as `behind`.",
      ),
    color: z.string(),
    isError: z
      .literal(true)
      .optional()
      .describe(
        "Present if no mirror is reachable, all reachable ones have wrong content, or nothing is known. Prevents users from overriding the color.",
      ),
  })
  .meta({ title: "badge" });

export type Badge = z.infer<typeof badgeSchema>;

/** White text on each of these colors has a contrast ratio of at least 4.5, as WCAG 2 requires. */
const colors = { green: "#2e7d32", amber: "#a65200", red: "#c62828", grey: "#757575" } as const;

/** The default message is the number of mirrors online. */
const messages: Readonly<Partial<Record<MirrorState, string>>> = {
  wrong: "wrong content",
  differs: "differs",
  behind: "behind",
  maintenance: "maintenance",
  unknown: "unknown",
};

/** Returns two files for each target: an SVG, and data from which shields.io draws a badge in any style. */
export function renderBadges({ isKnown, systems }: Feed): SiteFile[] {
  return targetsOf(systems).flatMap((target) => {
    const path = `badge/${target.place}`;
    return [
      { path: `${path}.svg`, content: () => `${draw(badgeOf(target, isKnown))}\n` },
      { path: `${path}.json`, content: () => jsonText(badgeOf(target, isKnown)) },
    ];
  });
}

function badgeOf(target: Target, isKnown: boolean): Badge {
  const { counts, total, ...verdict } = verdictOf([target]);
  const { state, color } = isKnown ? verdict : ({ state: "unknown", color: "grey" } as const);
  return {
    schemaVersion: 1,
    label: target.target,
    message: messages[state] ?? `${counts.online} of ${total} online`,
    color: colors[color],
    ...((color === "red" || state === "unknown") && { isError: true }),
  };
}

function draw({ label, message, color }: Badge): string {
  return badgen({ label, status: message, color: color.slice(1), style: "flat" });
}
