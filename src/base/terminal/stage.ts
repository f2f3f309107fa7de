import { debuglog } from "node:util";

const debug = debuglog("mirrorfeed");

/**
 * Logs the end of a stage of the pipeline to stderr, if NODE_DEBUG names mirrorfeed: the time since the start of the
 * process in milliseconds, and counts.
 */
export function logStage(stage: string, counts: Readonly<Record<string, number>>): void {
  if (!debug.enabled) return;
  const words = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  debug(`${Math.round(performance.now())} ms ${stage}: ${words.join(", ")}`);
}
