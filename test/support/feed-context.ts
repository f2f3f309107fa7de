import type { CommandContext } from "../../src/base/terminal/context.ts";
import { recorded } from "./command-context.ts";
import { soon } from "./serving.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Returns a command context before the feed expires, with its own cache, and what the command printed and logged. */
export function feedContext(more: Partial<CommandContext> = {}) {
  const environment = { XDG_CACHE_HOME: temporaryFolder() };
  const { context, printed, logged } = recorded({ now: () => soon, random: () => 0, environment, ...more });
  return { context, printed: () => printed.join("\n"), logged: () => logged.join("\n") };
}
