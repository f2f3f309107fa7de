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

/** Returns the known key most similar to an unknown one. `message` is the error of `strictObject`. */
export function meantKey(key: string, message: string): string | undefined {
  const [, known = ""] = /; known keys: (.*)$/.exec(message) ?? [];
  return closestName(key, known.split(", "));
}

/** Adds the most similar known key, if any, to the error message about an unknown key. */
export function unknownKeyMessage(key: string, message: string): string {
  const meant = meantKey(key, message);
  return meant === undefined
    ? message
    : message.replace("; known keys:", () => `; did you mean ${meant}? Known keys:`);
}
