import type { CommandContext } from "../../core/base/terminal/context.ts";
import { loadNotices } from "../incidents/notices.ts";
import { coreDocument } from "../../core/state/document.ts";
import { openState } from "../../core/state/stored-state.ts";

/**
 * Returns the greatest id that a mirror has ever had, as far as the state and the notices in `public/incidents/` tell,
 * or 0. Notices and clients remember the ids of removed mirrors, so new mirrors get greater ones. Throws InputError if
 * the state or a notice cannot be read.
 */
export async function greatestUsedId(
  configFolder: string,
  state: string,
  context: CommandContext,
): Promise<number> {
  const stored = await openState({ state, config: configFolder }, coreDocument, context).load();
  const notices = await loadNotices(configFolder, []);
  const named = notices.flatMap(({ gone }) => gone.filter((name) => typeof name === "number"));
  const known = Object.keys(stored?.nodes ?? {}).map(Number);
  return Math.max(stored?.former?.last_id ?? 0, ...known, ...named);
}
