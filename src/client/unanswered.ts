import type { Failure, Reason } from "./interface.ts";

/** Internal: the client catches it and returns its `result`. */
export class Unanswered extends Error {
  declare readonly result: Failure;

  constructor(result: Failure) {
    super();
    this.result = result;
  }
}

export function unknown(reason: Reason, cause?: unknown): Unanswered {
  return new Unanswered({ outcome: "unknown", reason, cause });
}
