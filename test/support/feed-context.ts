import type { CommandContext } from "../../src/base/terminal/context.ts";
import { recorded } from "./command-context.ts";
import { soon } from "./serving.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Creates a command context with its own cache, at a time before the feed expires, and records output and log. */
export function feedContext(more: Partial<CommandContext> = {}) {
  const environment = { XDG_CACHE_HOME: temporaryFolder() };
  const { context, printed, logged } = recorded({ now: () => soon, random: () => 0, environment, ...more });
  return { context, printed: () => printed.join("\n"), logged: () => logged.join("\n") };
}
