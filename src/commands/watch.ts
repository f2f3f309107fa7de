import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { InputError, Interrupted } from "../errors.ts";
import { type RunOptions, runWith } from "./run.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface WatchOptions extends Omit<RunOptions, "run" | "results" | "json"> {
  readonly everyMs: number;
}

/** Waits for so many milliseconds; false where it was interrupted meanwhile. */
export type Wait = (ms: number, interrupt: AbortSignal) => Promise<boolean>;

/**
 * Runs for ever, on a steady beat: a run that takes longer than the beat makes those it overlaps be left out, never
 * be caught up. mirrors.json is read before each run; a broken one keeps the one before and says why. `wait` goes
 * with the clock of the setting: who compresses the one compresses the other.
 */
export async function watch(
  { everyMs, ...options }: WatchOptions,
  setting: Setting,
  wait: Wait = waitFor,
): Promise<ExitCode> {
  let config = await loadConfig(options.config);
  let complaint = "";
  const start = setting.now();
  for (let beat = 0; ;) {
    try {
      config = await reload(options.config, config, (message) => {
        if (message !== "" && message !== complaint)
          setting.tell(`${message}\nThe mirrors.json before it stays in force.`);
        complaint = message;
      });
      await runWith(config, { ...options, json: false }, { ...setting, print: lastLine(setting) });
    } catch (error) {
      if (error instanceof Interrupted) return 0;
      if (!(error instanceof InputError)) throw error;
      setting.tell(`${stamp(setting.now())} ${error.message}`);
    }
    const next = nextBeat(start, everyMs, setting.now(), beat);
    if (next.skipped > 0) {
      setting.tell(`${stamp(setting.now())} A run took longer than the beat; ${next.skipped} left out.`);
    }
    beat = next.beat;
    if (!(await wait(next.inMs, setting.interrupt))) return 0;
  }
}

/** Which beat comes next and when (milliseconds from now), and how many are left out because they are past. */
export function nextBeat(
  start: number,
  everyMs: number,
  now: number,
  beat: number,
): { beat: number; inMs: number; skipped: number } {
  const next = Math.max(beat + 1, Math.ceil((now - start) / everyMs));
  // A clock that went back, perhaps by days, is not waited for.
  const inMs = Math.min(everyMs, Math.max(0, start + next * everyMs - now));
  return { beat: next, inMs, skipped: next - beat - 1 };
}

async function reload(file: string, current: Config, complain: (message: string) => void): Promise<Config> {
  try {
    const config = await loadConfig(file);
    complain("");
    return config;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    complain(error.message);
    return current;
  }
}

/** Of the table of a run only its totals are shown, with the moment: it would fill a log in an hour. */
function lastLine(setting: Setting): Setting["print"] {
  return (text) => {
    setting.print(`${stamp(setting.now())} ${text.trimEnd().split("\n").at(-1) ?? ""}`);
  };
}

function stamp(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

async function waitFor(ms: number, interrupt: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: interrupt });
    return true;
  } catch (error) {
    if (!interrupt.aborted) throw error;
    return false;
  }
}
