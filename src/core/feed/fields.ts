import * as z from "../base/zod.ts";
import { codes } from "../kinds/kinds.ts";

// Schemas of fields that several documents share.

export const id = z.int().min(1);
export const count = z.int().min(0);
export const timestamp = z.iso.datetime({ precision: 3 });
export const code = z.enum(codes);
export { familyCode } from "../probe/observation.ts";
export const afterSeconds = count.optional().describe("How long the previous status lasted, if known.");
