import type * as z from "zod";
import type { StateDocument } from "../core/state/document.ts";
import { hasFewIncidents, stateShape } from "../core/state/state-schema.ts";
import { hostsSchema } from "../features/families/families-state.ts";
import { notificationsSchema, withoutWaits } from "../features/notify/notifications.ts";

const shape = stateShape.extend({
  hosts: hostsSchema.optional(),
  notifications: notificationsSchema.optional(),
});

/** What is kept of a feed between runs: core's state, and the parts of features beside it. */
export type FeedState = z.infer<typeof shape>;

export const stateDocument: StateDocument<FeedState> = {
  schema: shape.refine(hasFewIncidents, { path: ["incidents"] }),
  lines: { hosts: {}, notifications: { events: {}, outbox: {} } },
  notTimes: {
    hosts: { "*": { "*": { streak: true } } },
    // The next attempts may be in the future.
    notifications: {
      events: { "*": { nodes: true, to: { "*": { renewed_runs: true } } } },
      outbox: { "*": { attempts: true, failures: true, next: true } },
      hours: true,
      dropped: { 0: true },
    },
  },
  withoutWaits: ({ notifications, ...state }) => ({
    ...state,
    ...(notifications && { notifications: withoutWaits(notifications) }),
  }),
};
