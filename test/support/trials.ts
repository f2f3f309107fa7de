import { env } from "node:process";
import fc from "fast-check";

/** Whether these are the long tests (`npm run test:long`), which run the most trials. */
export const isLong = env["MIRRORFEED_LONG"] === "1";

const isRequired = env["MIRRORFEED_REQUIRE_ALL"] === "1";

/** The seed of all tests with random input. MIRRORFEED_SEED overrides it. */
export const seed = Number(env["MIRRORFEED_SEED"] ?? 20_261_121);

/** Returns the number of trials: `ci` in CI, a fifth of that in `npm test`, `long` in `npm run test:long`. */
export function trials(ci: number, long = 10 * ci): number {
  if (isLong) return long;
  return isRequired ? ci : Math.ceil(ci / 5);
}

/** Returns a generator of uniform random numbers from 0 to 1. The same seed gives the same numbers. */
export function randomNumbers(from = seed): () => number {
  const even = fc.infiniteStream(fc.noBias(fc.maxSafeNat()));
  const [numbers] = fc.sample(even, { seed: from, numRuns: 1 });
  return () => (numbers?.next().value ?? NaN) / (Number.MAX_SAFE_INTEGER + 1);
}
