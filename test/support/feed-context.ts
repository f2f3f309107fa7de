import type { CommandContext } from "../../src/base/terminal/context.ts";
import { soon } from "./serving.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Returns a command context before the feed expires, with its own cache, and what the command printed and logged. */
export function feedContext(more: Partial<CommandContext> = {}): {
  readonly context: CommandContext;
  readonly printed: () => string;
  readonly logged: () => string;
} {
  const lines: { readonly output: string[]; readonly log: string[] } = { output: [], log: [] };
  const context: CommandContext = {
    interrupt: new AbortController().signal,
    now: () => soon,
    random: () => 0,
    processes: { own: 1, isAlive: () => true },
    environment: { XDG_CACHE_HOME: temporaryFolder() },
    output: (text) => lines.output.push(text),
    log: (text) => lines.log.push(text),
    color: false,
    progress: () => ({ step: () => undefined, stop: () => undefined }),
    ...more,
  };
  return { context, printed: () => lines.output.join("\n"), logged: () => lines.log.join("\n") };
}
