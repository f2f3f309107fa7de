import * as z from "zod";
import { parseDuration } from "../text/duration.ts";

const yearMs = 366 * 24 * 3_600_000;

/** The schema of a duration of at most a year, as text. */
export const durationKey = z
  .string()
  .regex(/^\d{1,6}[smhd]$/, { error: "must be a duration such as 30m, 24h or 7d" })
  .refine((text) => !(parseDuration(text) > yearMs), { error: "is longer than a year; shorten it" })
  .meta({ title: "duration" });
