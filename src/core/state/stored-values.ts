import * as z from "zod";
import { latestTimestamp } from "../probe/observation.ts";

/** Epoch milliseconds. */
export const timestamp = z.int().min(0).max(latestTimestamp);

/** `system/project/target`. */
export const place = z.string().max(400);
export const nodeId = z.int().min(1);
