import { env } from "node:process";
import {
  type Laboratory,
  type LaboratoryOptions,
  startLaboratory as start,
} from "../../src/demo/laboratory.ts";

export type { Laboratory };

/** A laboratory that is ended by nobody but `close`. */
export function startLaboratory(options: LaboratoryOptions = {}): Promise<Laboratory> {
  return start({ environment: env, interrupt: new AbortController().signal }, options);
}
