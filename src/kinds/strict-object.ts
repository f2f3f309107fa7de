import * as z from "zod";

/** Returns the schema of an object of mirrors.json, whose error for an unknown key lists the known ones. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `is not a known key; known here: ${known}` : undefined,
  });
}
