import type { JsonPath, Problem } from "./json.ts";

/** A value of the file, and the path of the object that has it. */
export interface Field<Value> {
  readonly owner: JsonPath;
  readonly key: string;
  readonly value: Value;
}

/** Returns a problem for each value that counts as the same as an earlier one. `messageOf` gets the owner of that one. */
export function repeatedProblems<Value>(
  fields: readonly Field<Value>[],
  sameKey: (value: Value) => unknown,
  messageOf: (value: Value, first: JsonPath) => string,
): Problem[] {
  const firsts = new Map<unknown, JsonPath>();
  return fields.flatMap(({ owner, key, value }) => {
    const first = firsts.get(sameKey(value));
    if (first !== undefined) return [{ path: [...owner, key], message: messageOf(value, first) }];
    firsts.set(sameKey(value), owner);
    return [];
  });
}
