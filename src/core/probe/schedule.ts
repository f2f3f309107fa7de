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
  { concurrency, perHost }: Limits,
  task: Task<Item, Result>,
  isFirst: (item: Item) => boolean = () => false,
): Promise<Result[]> {
  const failure = new AbortController();
  const open = pLimit(concurrency * maxOpenPerActive);
  const active = pLimit(concurrency);
  const openOf = limitByHost(perHost * maxOpenPerActive);
  const activeOf = limitByHost(perHost);
  let running = 0;
  let postponements = 0;

  const run = async (item: Item, park: () => void): Promise<Result> => {
    running += 1;
    try {
      return await task(item, park);
    } catch (error) {
      if (!(error instanceof OutOfDescriptors)) failure.abort(error);
      throw error;
    } finally {
      running -= 1;
    }
  };
  /** Resolves once the task is parked or done, with the promise of its result. */
  const start = async (item: Item): Promise<{ readonly result: Promise<Result> }> => {
    failure.signal.throwIfAborted();
    let park = (): void => undefined;
    const parked = new Promise<void>((resolve) => {
      park = resolve;
    });
    const result = run(item, park);
    await Promise.race([parked, result]);
    return { result };
  };
  const attempt = (item: Item): Promise<Result> =>
    openOf(item.host)(() =>
      open(async () => (await activeOf(item.host)(() => active(() => start(item)))).result),
    );
  const finish = async (item: Item): Promise<Result> => {
    for (;;) {
      try {
        const result = await attempt(item);
        postponements = 0;
        return result;
      } catch (error) {
        if (!(error instanceof OutOfDescriptors)) throw error;
        if (running === 0) postponements += 1;
        if (postponements > maxPostponements) {
          failure.abort(error);
          throw error;
        }
        open.concurrency = Math.max(1, Math.min(open.concurrency, running - spareDescriptors));
        await sleep(postponedMs);
      }
    }
  };
  const results: Promise<Result>[] = [];
  for (const index of startOrder(items, isFirst)) {
    const item = items[index];
    if (item !== undefined) results[index] = finish(item);
  }
  return Promise.all(results);
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
