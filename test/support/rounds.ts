import { hourMs } from "../../src/core/base/text/time.ts";
import { listNodes, type Node } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import type { ControlObservation, Observation } from "../../src/core/probe/observation.ts";
import { configFrom, mirrorsJson, networkAt } from "./mirrors-json.ts";
import type { Round, VantageRound } from "../../src/core/state/round.ts";
import { advanceState } from "../../src/app/advance-feed.ts";
import type { FeedState } from "../../src/app/state-document.ts";

export { networkAt };

/** Returns one target's nodes at the given hosts, with ids from 1. */
export function nodesAt(hosts: readonly string[]): Node[] {
  const network = networkAt(hosts.map((host, index) => `https://${host}/a${index}`));
  const probe = { timeout: "1s", attempts: 1, failureThreshold: 1, successThreshold: 1 };
  return listNodes(configFrom(mirrorsJson(network, { probe })));
}

/** An observation, or only its code. */
export type Seen = string | Partial<Observation> | undefined;

/** A node's observation, if any, by the node's id. `usual` has what it does not say. */
export function observationsOf(
  id: number,
  seen: Seen,
  usual: Pick<Observation, "checked_at"> & Partial<Observation>,
): [number, Observation][] {
  if (seen === undefined) return [];
  const own = typeof seen === "string" ? { code: seen } : seen;
  return [[id, { id, code: "ok", attempts: 1, ...usual, ...own }]];
}

/** A vantage's observations of nodes 1, 2, …. Undefined means not observed. */
export function vantageOf(
  name: string,
  seen: readonly Seen[],
  controls: readonly (string | Partial<ControlObservation>)[] = [],
  checked_at = "2026-01-01T00:00:00.000Z",
): VantageRound {
  const at = { attempts: 1, checked_at };
  return {
    name,
    controls: controls.map((one) => {
      const own = typeof one === "string" ? { code: one } : one;
      const { url = "https://control.example.org/", code = "ok" } = own;
      const isProof = code === "ok" && url.startsWith("https:");
      return { ...at, proof: isProof ? "tls" : "none", ...own, url, code };
    }),
    observations: new Map(seen.flatMap((one, index) => observationsOf(index + 1, one, at))),
    missingShards: [],
  };
}

/** Returns a configuration with the targets in project `s/p`, and other keys. */
export function projectConfig(targets: readonly object[], more: object = {}): Config {
  return configFrom({ systems: [{ system: "s", projects: [{ project: "p", targets }] }], ...more });
}

let runs = 0;

/** Returns the state after a round, by default from one vantage. Throws if the round is void and no state came before it. */
export function stateAfter(
  config: Config,
  before: FeedState | undefined,
  { at, seen = [], ...more }: Partial<Round> & { readonly at: number; readonly seen?: readonly Seen[] },
): FeedState {
  runs += 1;
  const round = { run: `r${runs}`, at, vantages: [vantageOf("default", seen)], ...more };
  const { state } = advanceState(config, listNodes(config), round, before);
  if (state === undefined) throw new Error("A good round leaves a state.");
  return state;
}

/** When `playHours` plays its first round. */
export const hoursFrom = Date.parse("2026-03-01T00:00:00Z");

/** Plays rounds an hour apart. Each has what one vantage saw of the nodes 1, 2, …. */
export function playHours(config: Config, rounds: readonly (readonly Seen[])[]): FeedState {
  let state: FeedState | undefined;
  for (const [hours, seen] of rounds.entries())
    state = stateAfter(config, state, { at: hoursFrom + hours * hourMs, seen });
  if (state === undefined) throw new Error("There is a round.");
  return state;
}
