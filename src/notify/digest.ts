import { createHash } from "node:crypto";

/** Returns an id in 16 hexadecimal digits, the same for the same values. */
export function digest(values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 16);
}
