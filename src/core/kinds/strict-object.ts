import * as z from "zod";
import { closestName } from "../base/text/name.ts";

/** Returns the schema for an object in mirrors.json. Its error for an unknown key lists the known keys. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `is not a known key; known keys: ${known}` : undefined,
  });
}

/** Adds the most similar known key, if any, to the error message of `strictObject` about an unknown key. */
export function unknownKeyMessage(key: string, message: string): string {
  const [, known = ""] = /; known keys: (.*)$/.exec(message) ?? [];
  const meant = closestName(key, known.split(", "));
  return meant === undefined
    ? message
    : message.replace("; known keys:", () => `; did you mean ${meant}? Known keys:`);
}
