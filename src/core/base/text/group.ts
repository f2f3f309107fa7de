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
