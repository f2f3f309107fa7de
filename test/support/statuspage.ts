import * as z from "zod";

const time = z.iso.datetime({ precision: 3 });
const text = z.string().min(1);
const indicator = z.enum(["none", "minor", "major", "critical", "maintenance"]);

const component = z.strictObject({
  ...{ id: text, name: text, page_id: text, description: z.string(), created_at: time, updated_at: time },
  status: z.enum([
    "operational",
    "degraded_performance",
    "partial_outage",
    "major_outage",
    "under_maintenance",
  ]),
  ...{ position: z.int().min(1), showcase: z.boolean(), group: z.boolean(), group_id: text.nullable() },
  ...{ start_date: z.string().nullable(), only_show_if_degraded: z.boolean() },
});

const event = z.strictObject({
  ...{ id: text, name: text, page_id: text, impact: indicator, shortlink: z.url().or(z.literal("")) },
  ...{ created_at: time, updated_at: time, started_at: time },
  ...{ monitoring_at: time.nullable(), resolved_at: time.nullable() },
  incident_updates: z
    .array(
      z.strictObject({
        ...{ id: text, status: text, body: z.string(), incident_id: text, affected_components: z.null() },
        ...{ created_at: time, updated_at: time, display_at: time },
      }),
    )
    .min(1),
  components: z.array(component),
});

/**
 * The schema of Statuspage's summary as a strict reader expects it: all documented fields and no others. A field can be null
 * only if it can be null in Statuspage's own summaries.
 */
export const statuspageSummary = z.strictObject({
  page: z.strictObject({
    ...{ id: text, name: z.string(), url: z.url().or(z.literal("")), time_zone: text, updated_at: time },
  }),
  status: z.strictObject({ indicator, description: text }),
  components: z.array(component).min(1),
  incidents: z.array(event.extend({ status: z.enum(["investigating", "identified", "monitoring"]) })),
  scheduled_maintenances: z.array(
    event.extend({
      status: z.enum(["scheduled", "in_progress", "verifying"]),
      ...{ scheduled_for: time, scheduled_until: time },
    }),
  ),
});
