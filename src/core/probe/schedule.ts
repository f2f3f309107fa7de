import { asError } from "../base/errors.ts";

export interface Limits {
  readonly concurrency: number;
  readonly perHost: number;
}

/** Open tasks, active and parked, per active one. Parked tasks keep their connections. */
export const maxOpenPerActive = 8;

/** The tasks of a host, or of the whole run. */
class Load {
  /** Indexes of items whose turn came while the host had no capacity. */
  readonly held: number[] = [];
  active = 0;
  open = 0;

  isFull(limit: number): boolean {
    return this.active >= limit || this.open >= limit * maxOpenPerActive;
  }
}

/**
 * Returns results in the order of the items. A task calls `park` once it is only waiting, so that another can become
 * active. If a task rejects, starts no more, and rejects for its reason.
 */
export function runAll<Item extends { readonly host: string }, Result>(
  items: readonly Item[],
  { concurrency, perHost }: Limits,
  task: (item: Item, park: () => void) => Promise<Result>,
  isFirst: (item: Item) => boolean = () => false,
): Promise<Result[]> {
  const results: Result[] = [];
  const all = new Load();
  const hosts = new Map<string, Load>();
  // Indexes of items. The next one is the last.
  const waiting = startOrder(items, isFirst).toReversed();
  let unfinished = items.length;
  let hasFailed = false;

  async function run(item: Item, host: Load, onParked: () => void): Promise<Result> {
    /** If the host now has capacity, ends the wait of an item. */
    const change = (active: number, open: number): void => {
      all.active += active;
      all.open += open;
      host.active += active;
      host.open += open;
      if (!host.isFull(perHost)) waiting.push(...host.held.splice(0, 1));
    };
    let isActive = true;
    const park = (): void => {
      if (isActive) change(-1, 0);
      isActive = false;
    };
    change(1, 1);
    try {
      return await task(item, () => {
        park();
        onParked();
      });
    } finally {
      park();
      change(0, -1);
    }
  }

  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      hasFailed = true;
      reject(asError(error));
    };
    const startMore = (): void => {
      while (!hasFailed && !all.isFull(concurrency)) {
        const index = waiting.pop();
        const item = index === undefined ? undefined : items[index];
        if (index === undefined || item === undefined) break;
        const host = hosts.get(item.host) ?? new Load();
        hosts.set(item.host, host);
        if (host.isFull(perHost)) host.held.push(index);
        else
          run(item, host, startMore).then((result) => {
            results[index] = result;
            unfinished -= 1;
            startMore();
          }, fail);
      }
      if (unfinished === 0) resolve(results);
    };
    startMore();
  });
}

/** Items for which `isFirst` is true come first. Hosts take turns, and the items of each host keep their order. */
export function startOrder<Item extends { readonly host: string }>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): number[] {
  const counts = new Map<string, number>();
  const ranked = items.map((item, index) => {
    const key = `${isFirst(item)} ${item.host}`;
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    return { index, rank: isFirst(item) ? turn - items.length : turn };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ index }) => index);
}
