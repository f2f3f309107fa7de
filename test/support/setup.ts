import fc from "fast-check";
import { trials } from "./trials.ts";

fc.configureGlobal({ numRuns: trials(100) });
