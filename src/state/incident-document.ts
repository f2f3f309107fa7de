import * as z from "zod";
import { codePattern } from "../kinds/kinds.ts";
import { timestamp } from "./fields.ts";
import { dayMs } from "./counts.ts";

/** How long an incident is kept after its end, in milliseconds. */
export const incidentKeptMs = 90 * dayMs;
/** How many incidents are kept, and how many outages of all together. Open ones stay, however many they are. */
export const incidentsKept = 500;
export const outagesKept = 20_000;
/** How many outages of one node an incident keeps. */
export const outagesOfNode = 8;

/** An outage of a node: its id, its start, and its end unless it lasts. */
const outage = z.tuple([z.int().min(1), timestamp, timestamp.optional()]);

/** Nodes of one host that went offline for one code. Its times are those of runs, in epoch milliseconds. */
const incident = z.strictObject({
  host: z.string().min(1).max(2000),
  code: z.string().regex(codePattern),
  start: timestamp,
  /** Missing while it lasts. */
  end: timestamp.optional(),
  /** By their start and their node. */
  outages: z.array(outage),
  /** How many of its nodes have left the feed. */
  gone: z.int().min(1).optional(),
});

/** The incidents by their permanent ids: the date of their start, and digits of a digest of their host, code and start. */
export const incidentsSchema = z.record(z.string().regex(/^\d{4}-\d\d-\d\d-[0-9a-f]{6,64}$/), incident);

/** Returns whether the incidents of a state with so many nodes are as few as are kept. */
export function areWithinLimits(incidents: Incidents, nodes: number): boolean {
  const all = Object.values(incidents);
  const ended = all.filter(({ end }) => end !== undefined).length;
  const outages = all.reduce((sum, one) => sum + one.outages.length, 0);
  return ended <= incidentsKept && outages <= Math.max(outagesKept, nodes);
}

export const incidentFields = Object.keys(incident.shape);

export type Outage = z.infer<typeof outage>;
export type Incident = Readonly<z.infer<typeof incident>>;
export type Incidents = Readonly<Record<string, Incident>>;
