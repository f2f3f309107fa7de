/** Calls `act` with each number below `turns`, a few calls at the same time. Stops at the first failure. */
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
