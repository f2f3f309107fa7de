import type * as z from "../core/base/zod.ts";
import type { StateDocument } from "../core/state/document.ts";
import { hasFewIncidents, stateShape } from "../core/state/state-schema.ts";
import { hostsPart } from "../features/families/families.ts";
import { notificationsPart } from "../features/notify/told.ts";

const shape = stateShape.extend({
  hosts: hostsPart.schema.optional(),
  notifications: notificationsPart.schema.optional(),
});

/** What is kept of a feed between runs: core's state, and the parts of features beside it. */
export type FeedState = z.infer<typeof shape>;

export const stateDocument: StateDocument<FeedState> = {
  schema: shape.refine(hasFewIncidents, { path: ["incidents"] }),
  lines: { hosts: hostsPart.lines, notifications: notificationsPart.lines },
};
