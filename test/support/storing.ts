import { gitEnvironment } from "./git.ts";
import * as stores from "../../src/core/state/branch-store.ts";
import type { StateStore, StoreOptions } from "../../src/core/state/store.ts";
import { processes } from "./folder.ts";

/** Store options as in src/cli.ts, without the user's Git configuration. */
export function storeOptions(changes: Partial<StoreOptions> = {}): StoreOptions {
  return {
    folder: "/",
    environment: gitEnvironment,
    interrupt: new AbortController().signal,
    random: Math.random,
    now: Date.now,
    processes,
    ...changes,
  };
}

/** A store of texts. */
export interface TextStore extends Pick<StateStore, "earlier" | "isRestored"> {
  readonly load: () => Promise<string | undefined>;
  readonly save: (update: (current: string | undefined) => string) => Promise<void>;
}

export function openStore(location: string, options: StoreOptions): TextStore {
  const store = stores.openStore(location, options);
  return {
    ...store,
    load: async () => (await store.load())?.toString(),
    save: (update) => store.save((current) => Buffer.from(update(current?.toString()))),
  };
}

export function adding(line: string): (current: string | undefined) => string {
  return (current = "") => `${current}${line}\n`;
}

/** An update that must not be called. */
export function never(): string {
  throw new Error("The text was asked for.");
}
