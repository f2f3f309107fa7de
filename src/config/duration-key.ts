import * as z from "zod";
import { parseDuration } from "../base/text/duration.ts";

/** Returns the schema of a duration as text, from `min` to `max`, which are durations too. */
export function durationKey(min = "0s", max = "366d") {
  const error = "must be a duration such as 10s, 30m, 24h or 7d";
  return z
    .string({ error })
    .regex(/^\d{1,6}(?:ms|[smhd])$/, { error })
    .refine((text) => !(parseDuration(text) > parseDuration(max)), { error: `must be ${max} or shorter` })
    .refine((text) => !(parseDuration(text) < parseDuration(min)), { error: `must be ${min} or longer` })
    .meta({ title: "duration" });
}
