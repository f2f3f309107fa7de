import type { Node } from "../../src/config/nodes.ts";
import type { ControlObservation, Observation } from "../../src/probe/observation.ts";
import type { VantageRound } from "../../src/state/round.ts";

const settings = {
  kind: "git",
  timeoutMs: 1000,
  attempts: 1,
  failureThreshold: 1,
  successThreshold: 1,
  options: {},
} as const;

/** Returns nodes of one target at these hosts, with ids from 1. */
export function nodesAt(hosts: readonly string[]): Node[] {
  return hosts.map((host, index) => ({
    id: index + 1,
    name: host,
    url: `https://${host}/a`,
    host,
    system: "s",
    project: "p",
    target: "t",
    place: "s/p/t",
    primary: false,
    settings,
  }));
}

/** The observation of a node: a code, or more of it. */
export type Seen = string | Partial<Observation> | undefined;

/** Returns what a vantage saw of the nodes 1, 2, …. Undefined is a node that it did not observe. */
export function vantageOf(
  name: string,
  seen: readonly Seen[],
  controls: readonly (string | Partial<ControlObservation>)[] = [],
): VantageRound {
  const at = { attempts: 1, checked_at: "2026-01-01T00:00:00.000Z" };
  return {
    name,
    controls: controls.map((one) => {
      const own = typeof one === "string" ? { code: one } : one;
      const { url = "https://control.example.org/", code = "ok" } = own;
      const isProof = code === "ok" && url.startsWith("https:");
      return { ...at, proof: isProof ? "tls" : "none", ...own, url, code };
    }),
    observations: new Map(
      seen.flatMap((one, index): [number, Observation][] => {
        if (one === undefined) return [];
        const own = typeof one === "string" ? { code: one } : one;
        return [[index + 1, { id: index + 1, code: "ok", ...at, ...own }]];
      }),
    ),
    missingShards: [],
  };
}
