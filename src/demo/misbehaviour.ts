import * as answers from "./answers.ts";
import * as delays from "./delays.ts";
import * as excess from "./excess.ts";
import * as malformedHeads from "./malformed-heads.ts";
import * as malformed from "./malformed.ts";
import * as redirects from "./redirects.ts";
import * as wire from "./wire.ts";

/**
 * Every misbehaviour by its name. Each is a function that needs no arguments and makes a behaviour of its own, so that
 * nothing is shared between two servers; most are handlers, those whose name ends in `AtConnection` and `sshBanner`
 * take a whole server.
 */
export const misbehaviours = {
  ...answers,
  ...delays,
  ...excess,
  ...malformed,
  ...malformedHeads,
  ...redirects,
  ...wire,
};

export type Misbehaviour = keyof typeof misbehaviours;
