import { check, type CheckOptions } from "../../src/features/pick/check-command.ts";
import type { CommandContext } from "../../src/core/base/terminal/context.ts";
import { recorded } from "./command-context.ts";
import { soon, target } from "./serving.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Creates a command context that has its own cache, and records output and log. Its time is before the feed expires. */
export function feedContext(more: Partial<CommandContext> = {}) {
  const environment = { XDG_CACHE_HOME: temporaryFolder() };
  const { context, printed, logged } = recorded({ now: () => soon, random: () => 0, environment, ...more });
  return { context, printed: () => printed.join("\n"), logged: () => logged.join("\n") };
}

/** Runs `mirrorfeed check`, by default in a new context. */
export async function runCheck(
  url: string,
  { path = target, ...options }: Partial<CheckOptions> & { readonly path?: string } = {},
  { context, printed, logged } = feedContext(),
) {
  const code = await check(url, path, { min: 1, timeout: 5000, ...options }, context);
  return { code, printed: printed(), logged: logged() };
}
