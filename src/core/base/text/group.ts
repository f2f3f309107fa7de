/** Keys and values keep the order of the entries. */
export function group<Key, Value>(entries: Iterable<readonly [Key, Value]>): Map<Key, [Value, ...Value[]]> {
  const groups = new Map<Key, [Value, ...Value[]]>();
  for (const [key, value] of entries) {
    const values = groups.get(key);
    if (values === undefined) groups.set(key, [value]);
    else values.push(value);
  }
  return groups;
}

/** Returns each value with its count, the most frequent first. Equally frequent values keep their order. */
export function byFrequency<Value>(values: readonly Value[]): [value: Value, count: number][] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
