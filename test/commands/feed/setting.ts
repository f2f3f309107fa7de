import type { Setting } from "../../../src/commands/setting.ts";
import { soon, temporaryFolder } from "../../client/serving.ts";

/** A setting of a command that reads a feed while it holds, with a cache of its own, and what it printed and told. */
export function feedSetting(more: Partial<Setting> = {}): {
  readonly setting: Setting;
  readonly printed: () => string;
  readonly told: () => string;
} {
  const lines: { readonly print: string[]; readonly tell: string[] } = { print: [], tell: [] };
  const setting: Setting = {
    interrupt: new AbortController().signal,
    now: () => soon,
    random: () => 0,
    processes: { own: 1, isAlive: () => true },
    environment: { XDG_CACHE_HOME: temporaryFolder() },
    print: (text) => lines.print.push(text),
    tell: (text) => lines.tell.push(text),
    color: false,
    progress: () => ({ step: () => undefined, stop: () => undefined }),
    ...more,
  };
  return { setting, printed: () => lines.print.join("\n"), told: () => lines.tell.join("\n") };
}
