import type { CommandContext } from "../../src/terminal/context.ts";
import { InputError } from "../../src/errors.ts";
import { processes } from "./folder.ts";

/** Returns a command context as in src/cli.ts, without a terminal, and what the command printed and logged. */
export function recorded(changes: Partial<CommandContext> = {}): {
  context: CommandContext;
  printed: string[];
  logged: string[];
} {
  const printed: string[] = [];
  const logged: string[] = [];
  const context: CommandContext = {
    interrupt: new AbortController().signal,
    now: () => 0,
    random: Math.random,
    processes,
    environment: {},
    output: (text) => printed.push(text),
    log: (text) => logged.push(text),
    color: false,
    progress: () => ({ step: () => undefined, stop: () => undefined }),
    ...changes,
  };
  return { context, printed, logged };
}

/** Returns the sentence of the InputError that an action throws. */
export async function sentence(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("It did not fail.");
}
