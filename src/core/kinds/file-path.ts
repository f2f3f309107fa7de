import * as z from "zod";
import { hasInvisible } from "../base/text/quote.ts";

/** Schema for the path of a file that mirrors.json names. Relative paths start at its folder. */
export const filePath = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !hasInvisible(path), { error: "has control or invisible characters; rename the file" });
