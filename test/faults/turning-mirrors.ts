import { advertisement } from "../support/advertisement.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import type { Provider } from "../../src/testbed/provider.ts";
import type { Handler } from "../../src/testbed/server.ts";

/** Two mirrors of which one is good and one bad, and the other way round in the next run. */
export interface TurningMirrors {
  readonly urls: readonly [string, string];
  /** Settles at the first request in the run of this number, counted from 0. */
  readonly asked: (run: number) => Promise<void>;
}

/** Mounts them at a place of a provider, for a feed in which each is asked so many times in each run. */
export function mountTurning(provider: Provider, place: string, timesInRun: number): TurningMirrors {
  const waiting = new Map<number, () => void>();
  const handler = (index: number): Handler => {
    const [good, bad] = [advertisement(), misbehaviours.notFound()];
    let requests = 0;
    return (exchange) => {
      const run = Math.floor(requests++ / timesInRun);
      waiting.get(run)?.();
      return (run % 2 === index ? good : bad)(exchange);
    };
  };
  const [one, other] = [0, 1].map((index) => provider.mount(`${place}/${index}`, handler(index)).url);
  return {
    urls: [one ?? "", other ?? ""],
    asked: (run) => new Promise((resolve) => waiting.set(run, resolve)),
  };
}
