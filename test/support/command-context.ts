import type { CommandContext } from "../../src/core/base/terminal/context.ts";
import { InputError } from "../../src/core/base/errors.ts";
import { processes } from "./folder.ts";

/** Creates a command context as in src/cli.ts, without a terminal, and records output, log and progress. */
export function recorded(changes: Partial<CommandContext> = {}): {
  context: CommandContext;
  printed: string[];
  logged: string[];
  progressed: (string | number)[];
} {
  const printed: string[] = [];
  const logged: string[] = [];
  const progressed: (string | number)[] = [];
  const context: CommandContext = {
    interrupt: new AbortController().signal,
    now: () => 0,
    random: Math.random,
    processes,
    environment: {},
    output: (text) => printed.push(text),
    log: (text) => logged.push(text),
    progress: (title) => {
      progressed.push(title);
      return { step: (done) => progressed.push(done), stop: () => progressed.push("stop") };
    },
    ...changes,
  };
  return { context, printed, logged, progressed };
}

/** Returns the message of the InputError that an action throws. */
export async function sentence(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("It did not fail.");
}
