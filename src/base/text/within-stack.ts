import { InputError } from "../errors.ts";

/**
 * Returns what a parser returns. Throws InputError with this sentence if deep nesting or endless errors exhaust the
 * stack.
 */
export function withinStack<Value>(parse: () => Value, sentence: string): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(sentence);
  }
}
