import { parse } from "yaml";
import { InputError } from "../base/errors.ts";
import { printable } from "../base/text/quote.ts";

/** Throws InputError if the text is not a single valid YAML document, or if keys are repeated. */
export function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // An excerpt follows the first line of the message, which ends with the position.
    const [message = ""] = error.message.split(/:?\n/);
    throw new InputError(`${file} is not valid YAML; correct it: ${printable(message)}.`);
  }
}
