import * as z from "../base/zod.ts";
import { parseDuration } from "../base/text/time.ts";
import { nameLength, namePattern, nameProblem } from "../base/text/name.ts";
import { hasInvisible } from "../base/text/quote.ts";
import { urlProblem } from "../base/text/url.ts";

/** Schema for a string. `problem` returns a message, or undefined for a valid string. */
export function checkedText(problem: (text: string) => string | undefined): z.ZodString {
  return z.string().superRefine((text, context) => {
    const message = problem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** Schema for a line of text. The parameters are the remedies for a text that is empty, or that cannot all be seen. */
export function textLine(ifEmpty: string, ifInvisible: string) {
  return checkedText((text) => {
    if (text.trim() === "") return `is empty; ${ifEmpty}`;
    if (text.length > 200) return "is longer than 200 characters; shorten it";
    return hasInvisible(text) ? `has control or invisible characters; ${ifInvisible}` : undefined;
  }).meta({ minLength: 1, maxLength: 200 });
}

export const label = textLine("write a label, or remove the key to use the host and path", "remove them");

export const name = checkedText(nameProblem).meta({
  title: "name",
  pattern: namePattern,
  minLength: 1,
  maxLength: nameLength,
});

export const url = checkedText(urlProblem).meta({ title: "URL", format: "uri", pattern: "^https?://" });

export const id = z.int().min(1);

/** Schema for a selection of mirrors. `referencesExist` checks that the mirrors exist. */
export const scope = z.union([z.string().min(1).max(500), id], {
  error: "must be a host, a path such as system/project/target, or the id of a mirror",
});

export const timestamp = z.iso
  .datetime({ error: "must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z" })
  .meta({ title: "timestamp" });

/** The name of an environment variable with a GitHub token, which is sent only to GitHub. */
export const tokenVariable = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]{0,99}$/, {
    error: "must name an environment variable, such as SMTP_PASSWORD, since mirrors.json is public",
  })
  .meta({ title: "name of a variable" });

/** Its value is sent to a receiver that mirrors.json chooses, so it can't be a CI variable. */
export const variable = tokenVariable.refine(
  (name) => !/^(?:ACTIONS|CI|GITHUB|RUNNER)_|^GH_TOKEN$/.test(name),
  {
    error: "is a CI variable, and its value must not leave CI; use a variable that you set for this channel",
  },
);

/** Schema for a duration string. `min` and `max` are durations, too. */
export function durationKey(min = "0s", max = "366d") {
  const error = "must be a duration such as 10s, 30m, 24h or 7d";
  return z
    .string({ error })
    .regex(/^\d{1,6}(?:ms|[smhd])$/, { error })
    .refine((text) => !(parseDuration(text) > parseDuration(max)), { error: `must be ${max} or shorter` })
    .refine((text) => !(parseDuration(text) < parseDuration(min)), { error: `must be ${min} or longer` })
    .meta({ title: "duration" });
}
