import * as z from "zod";
import { labelLength, labelProblem } from "../base/text/name.ts";

/** Returns the schema of a text. `problem` returns what is wrong with one, or undefined. */
export function checkedText(problem: (text: string) => string | undefined): z.ZodString {
  return z.string().superRefine((text, context) => {
    const message = problem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** The schema of a label for people. */
export const label = checkedText(labelProblem).meta({ minLength: 1, maxLength: labelLength });
