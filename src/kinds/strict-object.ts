import * as z from "zod";
import { closestName } from "../base/text/name.ts";

/** Returns the schema of an object of mirrors.json, whose error for an unknown key lists the known ones. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `is not a known key; known here: ${known}` : undefined,
  });
}

/** Returns the known key that an unknown one is probably meant to be, from the message of `strictObject`. */
export function meantKey(key: string, message: string): string | undefined {
  const [, known = ""] = /; known here: (.*)$/.exec(message) ?? [];
  return closestName(key, known.split(", "));
}

/** Returns the message for one unknown key, with the known key that is probably meant. */
export function unknownKeyMessage(key: string, message: string): string {
  const meant = meantKey(key, message);
  return meant === undefined
    ? message
    : message.replace("; known here:", () => `; did you mean ${meant}? Known here:`);
}
