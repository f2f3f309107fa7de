import * as z from "zod";
import { makeBadge } from "badge-maker";
import { jsonText } from "../../contract/contract.ts";
import { type SiteFile } from "../../base/files/site-file.ts";
import { type Feed, type MirrorState, type Target, targetsOf, verdictOf } from "../../feed/feed.ts";

/** A badge in the format of a shields.io endpoint: https://shields.io/badges/endpoint-badge */
export const badgeSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    label: z.string().describe("The name of the target."),
    message: z
      .string()
      .describe(
        "How many of its mirrors are online, or the best one's state if that is not online, such as `behind`.",
      ),
    color: z.string(),
    isError: z
      .literal(true)
      .optional()
      .describe(
        "Present if no mirror is reachable or all have wrong content, or if this is unknown. The color then cannot be overridden.",
      ),
  })
  .meta({ title: "badge" });

export type Badge = z.infer<typeof badgeSchema>;

/** White text on these colors has a contrast of at least 4.5, as WCAG 2 requires. */
const colors = { green: "#2e7d32", amber: "#a65200", red: "#c62828", grey: "#757575" } as const;

/** The color of each state, and its message if no mirror is online. */
const states: Readonly<Record<MirrorState, readonly [color: keyof typeof colors, message?: string]>> = {
  offline: ["red"],
  wrong: ["red", "wrong content"],
  differs: ["amber", "differs"],
  behind: ["amber", "behind"],
  maintenance: ["grey", "maintenance"],
  unknown: ["grey", "unknown"],
  online: ["green"],
};

/** Returns two badges for each target: a picture, and a document from which shields.io draws one in any style. */
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
  const verdict = verdictOf([target]);
  const state = isKnown ? verdict.state : "unknown";
  const [color, message = `${verdict.counts.online} of ${verdict.total} online`] = states[state];
  return {
    schemaVersion: 1,
    label: target.target,
    message,
    color: colors[state === "online" && verdict.attention > 0 ? "amber" : color],
    ...((color === "red" || state === "unknown") && { isError: true }),
  };
}

/** Returns the SVG in the plainest style. A style with shadows takes twice the bytes and the time. */
function draw({ label, message, color }: Badge): string {
  return makeBadge({ label, message, color, style: "flat-square" });
}
