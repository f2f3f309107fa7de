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

/**
 * Runs the task for every item and returns the results in the same order. If a task rejects, `runAll` starts
 * no more tasks and rejects for the same reason.
 */
export function runAll<Item extends { readonly host: string }, Result>(
  items: readonly Item[],
  limits: Limits,
  task: Task<Item, Result>,
  isFirst: (item: Item) => boolean = () => false,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    new Schedule(items, limits, task, resolve, reject).start(startOrder(items, isFirst));
  });
}

interface Host {
  active: number;
  open: number;
  /** Indexes of items whose turn came while the host had no capacity. */
  readonly held: number[];
}

class Schedule<Item extends { readonly host: string }, Result> {
  readonly #items: readonly Item[];
  readonly #limits: Limits;
  readonly #task: Task<Item, Result>;
  readonly #resolve: (results: Result[]) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #results: Result[] = [];
  readonly #hosts = new Map<string, Host>();
  /** Indexes of items. The next one is the last. */
  #waiting: number[] = [];
  #unfinished: number;
  #active = 0;
  #open = 0;
  readonly #maxOpen: number;
  #hasFailed = false;

  constructor(
    items: readonly Item[],
    limits: Limits,
    task: Task<Item, Result>,
    resolve: (results: Result[]) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#items = items;
    this.#limits = limits;
    this.#task = task;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#unfinished = items.length;
    this.#maxOpen = limits.concurrency * maxOpenPerActive;
  }

  start(order: readonly number[]): void {
    this.#waiting = order.toReversed();
    if (this.#unfinished === 0) this.#resolve([]);
    else this.#startMore();
  }

  #startMore(): void {
    while (!this.#hasFailed && this.#active < this.#limits.concurrency && this.#open < this.#maxOpen) {
      const index = this.#waiting.pop();
      const item = index === undefined ? undefined : this.#items[index];
      if (index === undefined || item === undefined) return;
      const host = this.#hosts.get(item.host) ?? { active: 0, open: 0, held: [] };
      this.#hosts.set(item.host, host);
      if (this.#isFull(host)) host.held.push(index);
      else void this.#run(index, item, host);
    }
  }

  #isFull({ active, open }: Host): boolean {
    const { perHost } = this.#limits;
    return active >= perHost || open >= perHost * maxOpenPerActive;
  }

  async #run(index: number, item: Item, host: Host): Promise<void> {
    let isActive = true;
    const park = (): void => {
      if (isActive) this.#count(host, -1, 0);
      isActive = false;
    };
    this.#count(host, 1, 1);
    try {
      this.#results[index] = await this.#task(item, () => {
        park();
        this.#startMore();
      });
      this.#unfinished -= 1;
    } catch (error) {
      this.#hasFailed = true;
      this.#reject(error);
    }
    park();
    this.#count(host, 0, -1);
    if (this.#unfinished === 0) this.#resolve(this.#results);
    else this.#startMore();
  }

  /** Changes how many tasks of a host are active and open. If there is now capacity for it, ends the wait of an item. */
  #count(host: Host, active: number, open: number): void {
    host.active += active;
    host.open += open;
    this.#active += active;
    this.#open += open;
    if (host.held.length > 0 && !this.#isFull(host)) this.#waiting.push(...host.held.splice(0, 1));
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
