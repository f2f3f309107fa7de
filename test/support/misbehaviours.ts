import { loginPage, silent, sshBanner } from "../../src/testbed/behaviours.ts";
import * as answers from "./misbehaviours/answers.ts";
import * as brokenConnections from "./misbehaviours/broken-connections.ts";
import * as drips from "./misbehaviours/drips.ts";
import * as excess from "./misbehaviours/excess.ts";
import * as malformedHeads from "./misbehaviours/malformed-heads.ts";
import * as malformed from "./misbehaviours/malformed.ts";
import * as ofDemo from "./misbehaviours/of-demo.ts";
import * as redirects from "./misbehaviours/redirects.ts";

/**
 * Every misbehaviour by its name: those of the demo, and those that only tests need. Each is a function without required
 * arguments that makes a new behaviour, so that two servers share nothing. Most are handlers. Those whose name ends in
 * `AtConnection` and `sshBanner` need a server of their own.
 */
export const misbehaviours = {
  loginPage,
  silent,
  sshBanner,
  ...ofDemo,
  ...answers,
  ...brokenConnections,
  ...drips,
  ...excess,
  ...malformed,
  ...malformedHeads,
  ...redirects,
};

export type Misbehaviour = keyof typeof misbehaviours;
