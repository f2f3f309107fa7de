import * as z from "zod";
import { makeBadge } from "badge-maker";
import { jsonText } from "../../contract/contract.ts";
import { type SiteFile } from "../../base/files/site-file.ts";
import { type Feed, type Target, targetsOf } from "../../feed/feed.ts";

/** A badge in the format of a shields.io endpoint: https://shields.io/badges/endpoint-badge */
export const badgeSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    label: z.string().describe("The name of the target."),
    message: z.string().describe("How many of its nodes are online, or `unknown`."),
    color: z.string(),
    isError: z
      .literal(true)
      .optional()
      .describe(
        "Present if no node is online or the statuses are unknown. The color then cannot be overridden.",
      ),
  })
  .meta({ title: "badge" });

export type Badge = z.infer<typeof badgeSchema>;

/** White text on these colors has a contrast of at least 4.5, as WCAG 2 requires. */
const colors = { all: "#2e7d32", some: "#a65200", none: "#c62828", unknown: "#757575" } as const;

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

function badgeOf({ target, nodes }: Target, isKnown: boolean): Badge {
  const head = { schemaVersion: 1, label: target } as const;
  if (!isKnown) return { ...head, message: "unknown", color: colors.unknown, isError: true };
  const online = nodes.filter(({ status }) => status === 1).length;
  const message = `${online} of ${nodes.length} online`;
  if (online === 0) return { ...head, message, color: colors.none, isError: true };
  return { ...head, message, color: online === nodes.length ? colors.all : colors.some };
}

/** Returns the SVG in the plainest style. A style with shadows takes twice the bytes and the time. */
function draw({ label, message, color }: Badge): string {
  return makeBadge({ label, message, color, style: "flat-square" });
}
