import * as answers from "./answers.ts";
import * as delays from "./delays.ts";
import * as excess from "./excess.ts";
import * as malformedHeads from "./malformed-heads.ts";
import * as malformed from "./malformed.ts";
import * as redirects from "./redirects.ts";
import * as wire from "./wire.ts";

/**
 * Every misbehaviour by its name. Each is a function without required arguments that makes a new behaviour, so that two
 * servers share nothing. Most are handlers. Those whose name ends in `AtConnection` and `sshBanner` need a server of
 * their own.
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
