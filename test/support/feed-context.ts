import type { CommandContext } from "../../src/core/base/terminal/context.ts";
import { recorded } from "./command-context.ts";
import { soon } from "./serving.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Creates a command context that has its own cache, and records output and log. Its time is before the feed expires. */
export function feedContext(more: Partial<CommandContext> = {}) {
  const environment = { XDG_CACHE_HOME: temporaryFolder() };
  const { context, printed, logged } = recorded({ now: () => soon, random: () => 0, environment, ...more });
  return { context, printed: () => printed.join("\n"), logged: () => logged.join("\n") };
}
