import { hash } from "node:crypto";

/** Returns an id in 16 hexadecimal digits, the same for the same values. */
export function digest(values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 16);
}
