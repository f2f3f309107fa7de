import * as z from "../base/zod.ts";
import { hasInvisible } from "../base/text/quote.ts";

/** Adds a description, an example and a title, for the JSON schema and the documents. */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: unknown,
  title?: string,
): Schema {
  const examples = example === undefined ? undefined : [example];
  return schema.meta({ description, ...(title && { title }), ...(examples && { examples }) });
}

/** Schema for the path of a file that mirrors.json names. Relative paths start at its folder. */
export const filePath = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !hasInvisible(path), { error: "has control or invisible characters; rename the file" });
