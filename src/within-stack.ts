import { InputError } from "./errors.ts";

/**
 * What a parser gives. Text that is nested without end, and faults without end, take it more stack than there is: then
 * throws InputError with this sentence.
 */
export function withinStack<Value>(parse: () => Value, sentence: string): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(sentence);
  }
}
