import * as z from "zod";
import { codePattern } from "../kinds/kinds.ts";
import { latestTimestamp, refsPattern, revisionPattern } from "../probe/observation.ts";

/** Epoch milliseconds. */
export const timestamp = z.int().min(0).max(latestTimestamp);

/** `system/project/target`. */
export const place = z.string().max(400);
export const nodeId = z.int().min(1);

/** Codes that this version does not know are kept as they are. */
export const code = z.string().regex(codePattern);
export const refName = z.string().max(1000);
/** For Git, an object id or its first digits. */
export const revision = z.string().regex(revisionPattern);
export const refsDigest = z.string().regex(refsPattern);

/** The first digits of a ref's object id. */
export const keptId = z.string().regex(/^[0-9a-f]{10}$/);
/** Empty if the ref does not exist. */
export const keptIdIfAny = z.union([keptId, z.literal("")]);
