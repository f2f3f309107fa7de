import * as z from "zod";
import { timestamp } from "../../feed/fields.ts";

// The documents of Statuspage's public API that aggregators read (https://metastatuspage.com/api), with every field that
// readers with strict types need.

const page = z.strictObject({
  id: z.string(),
  name: z.string(),
  url: z.string().describe("Empty if the site's URL is unknown."),
  time_zone: z.literal("Etc/UTC"),
  updated_at: timestamp.describe("When a mirror, a maintenance or a notice last changed."),
});

const indicator = z.enum(["none", "minor", "major", "critical", "maintenance"]);

const component = z.strictObject({
  id: z.string(),
  name: z.string().describe("`system/project/target`"),
  status: z.enum(["operational", "degraded_performance", "major_outage", "under_maintenance"]),
  description: z.string().describe("How many of its mirrors are in each state."),
  created_at: timestamp.describe("The oldest change that is known."),
  updated_at: timestamp.describe("The newest change."),
  group: z.literal(false),
  group_id: z.null(),
  position: z.int().min(1),
  page_id: z.string(),
  start_date: z.null(),
  showcase: z.literal(false),
  only_show_if_degraded: z.literal(false),
});

const times = { created_at: timestamp, updated_at: timestamp };

/** An incident, or a maintenance with its schedule. */
const event = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(["investigating", "identified", "monitoring", "scheduled", "in_progress"]),
  impact: indicator,
  ...{ ...times, started_at: timestamp, monitoring_at: z.null(), resolved_at: z.null() },
  ...{ scheduled_for: timestamp.optional(), scheduled_until: timestamp.optional() },
  shortlink: z.string().describe("Empty if the site's URL is unknown."),
  page_id: z.string(),
  incident_updates: z.array(
    z.strictObject({
      ...{ id: z.string(), incident_id: z.string(), status: z.string(), body: z.string() },
      ...{ ...times, display_at: timestamp, affected_components: z.null() },
    }),
  ),
  components: z.array(component).describe("The targets that it is about."),
});

export const statuspageStatusSchema = z
  .strictObject({ page, status: z.strictObject({ indicator, description: z.string() }) })
  .meta({ title: "Statuspage status" });

export const statuspageSummarySchema = statuspageStatusSchema
  .extend({
    components: z.array(component).describe("The targets."),
    incidents: z.array(event).describe("The ongoing incidents."),
    scheduled_maintenances: z.array(event).describe("The maintenance that has not ended."),
  })
  .meta({ title: "Statuspage summary" });

export type StatuspageSummary = z.infer<typeof statuspageSummarySchema>;
export type Indicator = z.infer<typeof indicator>;
export type Component = z.infer<typeof component>;
export type StatuspageEvent = z.infer<typeof event>;
