import { env } from "node:process";

/** Whether the full counts run (`npm run test:long`), or the small ones of every test run. */
export const isLong = env["MIRRORFEED_LONG"] === "1";

/** What all chance of the fault tests grows from; another one is set by MIRRORFEED_SEED. */
export const seed = Number(env["MIRRORFEED_SEED"] ?? 20_261_121);

/** How often something is tried: in every test run, and in the long tier. */
export function times(quick: number, long: number): number {
  return isLong ? long : quick;
}
