/** Returns the values of each key, both in the order of the entries. */
export function group<Key, Value>(entries: Iterable<readonly [Key, Value]>): Map<Key, [Value, ...Value[]]> {
  const groups = new Map<Key, [Value, ...Value[]]>();
  for (const [key, value] of entries) {
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [value]);
    else known.push(value);
  }
  return groups;
}
