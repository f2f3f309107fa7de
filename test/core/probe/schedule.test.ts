import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runAll, type Limits, maxOpenPerActive, startOrder } from "../../../src/core/probe/schedule.ts";
import { trials } from "../../support/trials.ts";

interface Item {
  readonly host: string;
  readonly name: string;
}

/** A task that has started but not ended. The test parks or ends it. */
interface Started {
  readonly item: Item;
  isParked: boolean;
  readonly park: () => void;
  readonly end: (result: string) => void;
  readonly fail: (reason: Error) => void;
}

/** Starts the items, and returns the open ones once no more can start. */
async function start(items: readonly Item[], limits: Limits) {
  const open: Started[] = [];
  const order: string[] = [];
  const done = runAll(items, limits, (item, park) => {
    order.push(item.name);
    return new Promise<string>((resolve, reject) => {
      const leave = (): void => {
        open.splice(open.indexOf(started), 1);
      };
      const started: Started = {
        item,
        isParked: false,
        park: () => {
          started.isParked = true;
          park();
        },
        end: (result) => {
          leave();
          resolve(result);
        },
        fail: (reason) => {
          leave();
          reject(reason);
        },
      };
      open.push(started);
    });
  });
  await turn();
  return { open, order, done };
}

function named(...hosts: readonly string[]): Item[] {
  return hosts.map((host, index) => ({ host, name: `${host}${index}` }));
}

/** Lets the callbacks of resolved promises run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function first(open: readonly Started[]): Started {
  const [started] = open;
  if (started === undefined) throw new Error("Nothing is open.");
  return started;
}

const wide: Limits = { concurrency: 100, perHost: 100 };
const single: Limits = { concurrency: 1, perHost: 1 };

describe("a schedule", () => {
  test("gives the results in the order of the items, whatever ends first", async () => {
    const { open, done } = await start(named("a", "b", "a"), wide);
    for (const { item, end } of open.toReversed()) end(item.name.toUpperCase());
    expect(await done).toEqual(["A0", "B1", "A2"]);
  });

  test("lets the hosts take turns, and keeps the order of each", async () => {
    const { open, order, done } = await start(named("a", "a", "a", "b", "b", "c"), single);
    while (open.length > 0) {
      first(open).end("");
      await turn();
    }
    await done;
    expect(order).toEqual(["a0", "b3", "c5", "a1", "b4", "a2"]);
  });

  test("starts with those that it is asked to, the hosts of each group in turn", () => {
    const items = named("a", "a", "b", "a", "b", "c");
    const order = startOrder(items, ({ name }) => ["a3", "b4", "a1"].includes(name));
    expect(order.map((place) => items[place]?.name)).toEqual(["a1", "b4", "a3", "a0", "b2", "c5"]);
  });

  test("starts another for one that is parked, and none for one that is parked twice", async () => {
    const { open, order } = await start(named("a", "b", "c", "d"), single);
    const { park } = first(open);
    park();
    await turn();
    expect(order).toEqual(["a0", "b1"]);
    park();
    await turn();
    expect(order).toEqual(["a0", "b1"]);
  });

  test("fails as the first that fails, and starts no more", async () => {
    const { open, order, done } = await start(named("a", "b", "c", "d"), { concurrency: 2, perHost: 1 });
    const failed = expect(done).rejects.toThrow("a0 failed");
    first(open).fail(new Error("a0 failed"));
    await failed;
    first(open).end("");
    await turn();
    expect(order).toEqual(["a0", "b1"]);
  });

  test("keeps every bound, and does every item once, whatever ends or parks when", async () => {
    const host = fc.constantFrom("a", "b", "c", "d");
    const limits = fc.record({
      concurrency: fc.integer({ min: 1, max: 6 }),
      perHost: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(host, { maxLength: 80 }),
        limits,
        fc.infiniteStream(fc.nat()),
        async (hosts, bounds, chance) => {
          const { concurrency, perHost } = bounds;
          const { open, order, done } = await start(named(...hosts), bounds);
          const next = (): number => [...chance.take(1)][0] ?? 0;
          const check = (list: readonly Started[], atWork: number): void => {
            expect(list.length).toBeLessThanOrEqual(atWork * maxOpenPerActive);
            expect(list.filter(({ isParked }) => !isParked).length).toBeLessThanOrEqual(atWork);
          };
          while (open.length > 0) {
            check(open, concurrency);
            const ofHost = (name: string) => open.filter(({ item }) => item.host === name);
            for (const name of "abcd") check(ofHost(name), perHost);
            const chosen = open[next() % open.length];
            if (next() % 2 === 0) chosen?.park();
            else chosen?.end("done");
            await turn();
          }
          expect(await done).toHaveLength(hosts.length);
          const names = named(...hosts).map(({ name }) => name);
          expect(order.toSorted()).toEqual(names.toSorted());
        },
      ),
      { numRuns: trials(60) },
    );
  });
});
