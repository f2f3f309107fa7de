type Fields = Readonly<Record<string, unknown>>;

/** Returns JSON with a line for each entry, and its fields in the order of `names`. */
export function entryLines(
  record: Readonly<Record<string, Fields>>,
  names: readonly string[],
  order: (left: string, right: string) => number,
): string {
  const keys = Object.keys(record).sort(order);
  return keys.map((key) => `${JSON.stringify(key)}:${inOrder(record[key], names)}`).join(",\n");
}

function inOrder(fields: Fields = {}, names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, fields[name]])));
}

/** Compares two ids of nodes. */
export function byNumber(left: string, right: string): number {
  return left.length - right.length || byName(left, right);
}

/** Compares two names by their code units, in every language alike. */
export function byName(left: string, right: string): number {
  return left < right ? -1 : 1;
}
