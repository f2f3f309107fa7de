import { asError } from "../errors.ts";

/** How many tasks may be at work at once, in all and of one host. */
export interface Limits {
  readonly concurrency: number;
  readonly perHost: number;
}

/** Does one item. It calls `park` once it only waits, and so lets another work in its stead. */
export type Task<Item, Result> = (item: Item, park: () => void) => Promise<Result>;

/**
 * How many tasks may be open for each that may be at work. Those that are parked keep a connection, and neither the
 * descriptors of this machine nor the patience of a host are without end.
 */
export const openForEachAtWork = 8;

/** The items of one host, by their places in the list; the first `started` of them have been started. */
interface Host {
  readonly places: number[];
  started: number;
  working: number;
  open: number;
  isInLine: boolean;
}

/**
 * Does every item, and gives the results in their order. The hosts take turns, and the items of one host start in
 * their order. Rejects as the first task does, and then starts no more.
 */
export function doAll<Item extends { readonly host: string }, Result>(
  items: readonly Item[],
  { concurrency, perHost }: Limits,
  task: Task<Item, Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const line: Host[] = [];
  let next = 0;
  let working = 0;
  let open = 0;
  let unfinished = items.length;
  let hasFailed = false;

  return new Promise((resolve, reject) => {
    const lineUp = (host: Host): void => {
      const isFull = host.working >= perHost || host.open >= perHost * openForEachAtWork;
      if (host.isInLine || isFull || host.started === host.places.length) return;
      host.isInLine = true;
      line.push(host);
    };
    const startMore = (): void => {
      while (!hasFailed && working < concurrency && open < concurrency * openForEachAtWork) {
        const host = line[next];
        if (host === undefined) return;
        next += 1;
        host.isInLine = false;
        startOne(host);
        lineUp(host);
      }
    };
    const startOne = (host: Host): void => {
      const place = host.places[host.started];
      const item = place === undefined ? undefined : items[place];
      if (place === undefined || item === undefined) return;
      let isWorking = true;
      const rest = (): void => {
        if (isWorking) {
          isWorking = false;
          host.working -= 1;
          working -= 1;
        }
        lineUp(host);
        startMore();
      };
      host.started += 1;
      host.working += 1;
      host.open += 1;
      working += 1;
      open += 1;
      task(item, rest).then(
        (result) => {
          results[place] = result;
          host.open -= 1;
          open -= 1;
          unfinished -= 1;
          rest();
          if (unfinished === 0) resolve(results);
        },
        (reason: unknown) => {
          hasFailed = true;
          reject(asError(reason));
        },
      );
    };

    for (const host of groupByHost(items)) lineUp(host);
    startMore();
    if (items.length === 0) resolve(results);
  });
}

function groupByHost(items: readonly { readonly host: string }[]): Iterable<Host> {
  const groups = new Map<string, Host>();
  for (const [place, { host: name }] of items.entries()) {
    const host = groups.get(name);
    if (host === undefined)
      groups.set(name, { places: [place], started: 0, working: 0, open: 0, isInLine: false });
    else host.places.push(place);
  }
  return groups.values();
}
