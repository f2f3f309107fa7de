import * as z from "zod";
import { latestRun, latestTimestamp } from "../probe/observation.ts";
import { packedPattern } from "./counts.ts";

/** Epoch milliseconds. */
export const timestamp = z.int().min(0).max(latestTimestamp);
export const status = z.union([z.literal(0), z.literal(1)]);
export const packed = z.string().max(6000).regex(packedPattern);
/** A key of a record by nodes. */
export const nodeId = z.string().regex(/^[1-9]\d{0,15}$/);
/** The last applied runs with their ends, the newest last. */
export const runs = z.array(z.tuple([z.string().min(1).max(200), timestamp.max(latestRun)])).max(64);
