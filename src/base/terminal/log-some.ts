import type { CommandContext } from "./context.ts";

/** How many lines are logged. */
const maxShown = 20;

/** Logs the first lines of a command that has all of them in its JSON. `what` names the others, such as "Warnings". */
export function logSome(what: string, lines: readonly string[], { log }: Pick<CommandContext, "log">): void {
  for (const line of lines.slice(0, maxShown)) log(line);
  if (lines.length > maxShown) log(`${what} not shown: ${lines.length - maxShown}; --json has all of them.`);
}
