import { makeBadge } from "badge-maker";
import { jsonText } from "../contract.ts";
import type { SiteFile } from "../site-file.ts";
import type { Badge } from "./badge-schema.ts";
import type { Report } from "./report.ts";
import type { TargetReport } from "./report-schema.ts";

/** Colours on which white text has a contrast of 4.5 and more, as WCAG 2 asks for. */
const colors = { all: "#2e7d32", some: "#a65200", none: "#c62828", unknown: "#757575" } as const;

/** A badge of each target, as a picture and as the document from which shields.io draws one in any style. */
export function renderBadges({ heartbeat, systems }: Report): SiteFile[] {
  const isKnown = heartbeat.prober.state === "online";
  return systems.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, targets }) =>
      targets.flatMap(({ report }) => {
        const badge = badgeOf(report, isKnown);
        const path = `badge/${system}/${project}/${report.target}`;
        return [
          { path: `${path}.svg`, content: `${draw(badge)}\n` },
          { path: `${path}.json`, content: jsonText(badge) },
        ];
      }),
    ),
  );
}

function badgeOf({ target, network }: TargetReport, isKnown: boolean): Badge {
  const head = { schemaVersion: 1, label: target } as const;
  if (!isKnown) return { ...head, message: "unknown", color: colors.unknown, isError: true };
  const online = network.filter(({ status }) => status === 1).length;
  const message = `${online} of ${network.length} online`;
  if (online === 0) return { ...head, message, color: colors.none, isError: true };
  return { ...head, message, color: online === network.length ? colors.all : colors.some };
}

/** The plainest style: half the size of the one with shadows, and half the time. */
function draw({ label, message, color }: Badge): string {
  return makeBadge({ label, message, color, style: "flat-square" });
}
