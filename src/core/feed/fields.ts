import * as z from "../base/zod.ts";
import { codes } from "../kinds/kinds.ts";

// Schemas of fields that several documents share.

export const id = z.int().min(1);
export const count = z.int().min(0);
export const countIfAny = count.optional();
export const timestamp = z.iso.datetime({ precision: 3 });
export const timestampIfAny = timestamp.optional();
export const code = z.enum(codes);
export const codeIfAny = code.optional();
