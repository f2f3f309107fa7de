const tickMs = 100;

/** A shorter delay is common on a busy machine, and no mirror fails by it. */
const shortestStallMs = 250;

/**
 * Measures how long the event loop stalled: during one long task, or while the process or the machine was
 * suspended. Deadlines that pass meanwhile fire before the answers that have arrived are read.
 */
export class StallMeter {
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #beforeMs = 0;
  #tick = { monotonic: performance.now(), wall: 0 };

  /** `now` is the time of day in milliseconds: the monotonic clock of Linux stops while the machine is suspended. */
  constructor(now: () => number) {
    this.#now = now;
    this.#tick.wall = now();
    this.#timer = setInterval(() => {
      this.#beforeMs = this.totalMs();
      this.#tick = { monotonic: performance.now(), wall: now() };
    }, tickMs);
  }

  /** Since the start, with the stall that this turn of the loop follows. */
  totalMs(): number {
    const { monotonic, wall } = this.#tick;
    const lateMs = Math.max(performance.now() - monotonic, this.#now() - wall) - tickMs;
    return this.#beforeMs + (lateMs < shortestStallMs ? 0 : lateMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
