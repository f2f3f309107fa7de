import { advertisement } from "../support/advertisement.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import type { Provider } from "../support/mirror-server.ts";
import type { Handler } from "../support/mirror-server.ts";

/** Two mirrors, one good and one bad. In each run they swap roles. */
export interface TurningMirrors {
  readonly urls: readonly [string, string];
  /** Resolves at the first request of run number `run`, counted from 0, or of a later one. */
  readonly asked: (run: number) => Promise<void>;
}

/** Mounts the mirrors at a place of a provider. Each run must request each mirror `timesInRun` times. */
export function mountTurning(provider: Provider, place: string, timesInRun: number): TurningMirrors {
  const waiting = new Map<number, () => void>();
  const handler = (index: number): Handler => {
    const [good, bad] = [advertisement(), misbehaviours.notFound()];
    let requests = 0;
    return (exchange) => {
      const run = Math.floor(requests++ / timesInRun);
      // A run on a busy machine may repeat requests, and so skip a number.
      for (const [awaited, resolve] of waiting) if (run >= awaited) resolve();
      return (run % 2 === index ? good : bad)(exchange);
    };
  };
  const [one, other] = [0, 1].map((index) => provider.mount(`${place}/${index}`, handler(index)).url);
  return {
    urls: [one ?? "", other ?? ""],
    asked: (run) => new Promise((resolve) => waiting.set(run, resolve)),
  };
}
