import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap grow by only a half between two collections, so that a large site takes less memory. V8 lets it grow up
 * to fourfold, and most of what is rendered is garbage at once. The row "peak memory of build" of the benchmark shows it.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=50");
}
