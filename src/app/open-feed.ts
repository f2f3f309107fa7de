import { InputError } from "../core/base/errors.ts";
import { listNodes } from "../core/config/nodes.ts";
import { openState } from "../core/state/stored-state.ts";
import type { OpenNotified } from "../features/notify/notify-run.ts";
import { resolveStored } from "./advance-feed.ts";
import { stateDocument } from "./state-document.ts";

/** Opens the feed of a stored state, for those who send its notifications. */
export const openFeed: OpenNotified = (config, options, context) => {
  const store = openState(options, stateDocument, context);
  const nodes = listNodes(config);
  return {
    load: async () => {
      const state = await store.load();
      return state && resolveStored(config, nodes, state);
    },
    save: async (update) => {
      const saved = await store.save((before) => {
        if (before === undefined)
          throw new InputError("The state disappeared while notifications were being sent; restore it.");
        return { ...before, notifications: update(resolveStored(config, nodes, before)) };
      });
      return resolveStored(config, nodes, saved);
    },
  };
};
