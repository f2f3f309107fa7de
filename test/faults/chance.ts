import { seed } from "./tier.ts";

/** Even chances from 0 to 1 (mulberry32), the same for a name and the seed of the run. */
export function chances(name: string): () => number {
  let state = seed;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Does something so many times, a few at once, each turn with its number; the first failure ends it. */
export async function inTurns(turns: number, act: (turn: number) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    try {
      while (next < turns && failures.length === 0) await act(next++);
    } catch (failure) {
      failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: 3 }, lane));
  if (failures.length > 0) throw failures[0];
}
