import { ProbeFailure } from "./failure.ts";

/** What is told when the time is over. */
export interface Listener {
  handleEvent: () => void;
}

/** What a probe needs of an AbortSignal, which is one. */
export interface Ending {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener: (type: "abort", listener: Listener) => void;
  removeEventListener: (type: "abort", listener: Listener) => void;
}

/**
 * The time of one probe: it ends as a timeout, or before with a reason of another. There is one for each probe, and
 * AbortController with its events takes as long as a third of a request.
 */
export class Deadline implements Ending {
  aborted = false;
  reason: unknown;
  readonly #listeners: Listener[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => {
      this.abort(new ProbeFailure("timeout"));
    }, timeoutMs);
  }

  /** Ends the time now, if it has not ended. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.clear();
    // One after the other: what one does may end the waiting of the next.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift())
      next.handleEvent();
  }

  /** The time is not needed any more. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  addEventListener(_: "abort", listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_: "abort", listener: Listener): void {
    const place = this.#listeners.indexOf(listener);
    if (place >= 0) this.#listeners.splice(place, 1);
  }
}
