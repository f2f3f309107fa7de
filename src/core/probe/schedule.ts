import { setTimeout as sleep } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { OutOfDescriptors } from "../base/http/failure.ts";

export interface Limits {
  readonly concurrency: number;
  readonly perHost: number;
}

/** Calls `park` once the task is only waiting, so that another task can become active. */
export type Task<Item, Result> = (item: Item, park: () => void) => Promise<Result>;

/**
 * The limit for open tasks, active and parked, is this many times the limit for active ones. Parked tasks keep their
 * connections.
 */
export const maxOpenPerActive = 8;

/** How long a task waits if no file descriptor is free. */
const postponedMs = 50;
/** How many such waits in a row are allowed while no task is running. After that, `runAll` fails. */
const maxPostponements = 20;

/** Once file descriptors have run out, this many are left free for other uses. */
const spareDescriptors = 8;

/**
 * Runs the task for every item and returns the results in the same order. A task that rejects with OutOfDescriptors
 * starts again later, and from then on fewer tasks are open at a time. If a task rejects for any other reason, `runAll`
 * starts no more tasks and rejects for the same reason.
 */
export async function runAll<Item extends { readonly host: string }, Result>(
  items: readonly Item[],
  limits: Limits,
  task: Task<Item, Result>,
  isFirst: (item: Item) => boolean = () => false,
): Promise<Result[]> {
  const schedule = new Schedule(limits, task);
  const results: Promise<Result>[] = [];
  for (const index of startOrder(items, isFirst)) {
    const item = items[index];
    if (item !== undefined) results[index] = schedule.finish(item);
  }
  return Promise.all(results);
}

class Schedule<Item extends { readonly host: string }, Result> {
  readonly #task: Task<Item, Result>;
  readonly #open: LimitFunction;
  readonly #active: LimitFunction;
  readonly #openOf: (host: string) => LimitFunction;
  readonly #activeOf: (host: string) => LimitFunction;
  readonly #failure = new AbortController();
  #running = 0;
  #postponements = 0;

  constructor({ concurrency, perHost }: Limits, task: Task<Item, Result>) {
    this.#task = task;
    this.#open = pLimit(concurrency * maxOpenPerActive);
    this.#active = pLimit(concurrency);
    this.#openOf = limitByHost(perHost * maxOpenPerActive);
    this.#activeOf = limitByHost(perHost);
  }

  async finish(item: Item): Promise<Result> {
    for (;;) {
      try {
        const result = await this.#attempt(item);
        this.#postponements = 0;
        return result;
      } catch (error) {
        if (!(error instanceof OutOfDescriptors)) throw error;
        await this.#postpone(error);
      }
    }
  }

  async #postpone(error: OutOfDescriptors): Promise<void> {
    if (this.#running === 0) this.#postponements += 1;
    if (this.#postponements > maxPostponements) {
      this.#failure.abort(error);
      throw error;
    }
    const open = Math.min(this.#open.concurrency, this.#running - spareDescriptors);
    this.#open.concurrency = Math.max(1, open);
    await sleep(postponedMs);
  }

  #attempt(item: Item): Promise<Result> {
    const start = () => this.#start(item);
    return this.#openOf(item.host)(() =>
      this.#open(async () => (await this.#activeOf(item.host)(() => this.#active(start))).result),
    );
  }

  /** Resolves once the task is parked or done, with the promise of its result. */
  async #start(item: Item): Promise<{ readonly result: Promise<Result> }> {
    this.#failure.signal.throwIfAborted();
    let park = (): void => undefined;
    const parked = new Promise<void>((resolve) => {
      park = resolve;
    });
    const result = this.#run(item, park);
    await Promise.race([parked, result]);
    return { result };
  }

  async #run(item: Item, park: () => void): Promise<Result> {
    this.#running += 1;
    try {
      return await this.#task(item, park);
    } catch (error) {
      if (!(error instanceof OutOfDescriptors)) this.#failure.abort(error);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }
}

/** Items for which `isFirst` is true come first. Hosts take turns, and the items of each host keep their order. */
export function startOrder<Item extends { readonly host: string }>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): number[] {
  const counts = new Map<string, number>();
  const ranked = items.map((item, index) => {
    const group = isFirst(item) ? 0 : 1;
    const key = `${group} ${item.host}`;
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    return { index, group, turn };
  });
  return ranked
    .sort((left, right) => left.group - right.group || left.turn - right.turn)
    .map(({ index }) => index);
}

function limitByHost(max: number): (host: string) => LimitFunction {
  const limits = new Map<string, LimitFunction>();
  return (host) => {
    const limit = limits.get(host) ?? pLimit(max);
    limits.set(host, limit);
    return limit;
  };
}
