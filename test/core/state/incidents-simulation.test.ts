import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { reopenMs } from "../../../src/core/state/outages.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../../support/rounds.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";
import { formatState, parseState } from "../../support/stored.ts";

const minute = 60_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const hosts = ["a.example.org", "b.example.org", "c.example.org"];
const codes = ["timeout", "refused"];

const config = projectConfig(
  ["t1", "t2"].map((target, place) => ({
    target,
    network: networkAt(
      hosts.map((host) => `https://${host}/x/${target}`),
      place * 3 + 1,
    ),
  })),
);
const nodes = listNodes(config);

/** A simulated outage of a host: its cause, and when it started and ended. While it lasts, `end` is undefined. */
interface Outage {
  readonly host: string;
  readonly code: string;
  readonly start: number;
  end: number | undefined;
}

describe.each(Array.from({ length: trials(3) }, (_, index) => seed + index))(
  "600 runs of hosts that fail (seed %s)",
  (from) => {
    test("leave exactly the incidents that were played, also from a stored state", () => {
      const random = randomNumbers(from);
      const played: Outage[] = [];
      let state: State | undefined;
      /**
       * For each host: the code of its failure, how many more runs the failure lasts, and how many of the mirrors fail.
       */
      const failing = hosts.map(() => ({ code: "", left: 0, mirrors: 0 }));
      for (let run = 0; run < 600; run += 1) {
        const at = start + run * 30 * minute;
        // The first run sees every mirror online, since an outage before it would start no incident.
        for (const one of run === 0 ? [] : failing) {
          one.left = Math.max(0, one.left - 1);
          if (one.left === 0 && random() < 0.03) {
            one.code = codes[Math.floor(random() * 2)] ?? "timeout";
            one.left = 1 + Math.floor(random() * 20);
            one.mirrors = 1 + Math.floor(random() * 2);
          }
        }
        const isVoid = run > 0 && random() < 0.02;
        const isRepeated = random() < 0.05;
        const seen = nodes.map((_, index): Seen => {
          const { code, left, mirrors } = failing[index % 3] ?? { code: "", left: 0, mirrors: 0 };
          if (isVoid) return "dns";
          return left > 0 && Math.floor(index / 3) < mirrors ? code : "ok";
        });
        // If all three hosts failed at once, the run would be void.
        if (!isVoid && seen.every((one) => one !== "ok")) seen[5] = "ok";
        for (let again = 0; again < (isRepeated ? 2 : 1); again += 1)
          state = stateAfter(config, state, { run: `r${run}`, at, seen });
        if (random() < 0.1 && state !== undefined) state = parseState(formatState(state), "here");
        if (!isVoid) record(played, seen, at, state);
      }
      const found = Object.values(state?.incidents ?? {}).map(({ host, code, start: began, end }) => ({
        host,
        code,
        start: began,
        end,
      }));
      const order = (one: Outage, other: Outage): number =>
        one.start - other.start || (`${one.host}${one.code}` < `${other.host}${other.code}` ? -1 : 1);
      expect(found.sort(order)).toEqual(played.sort(order));
      expect(found.length).toBeGreaterThan(10);
    });
  },
);

/** The code that each node went offline with. */
const standing = new Map<number, string>();

/** Adds what a run saw to the simulated outages. A mirror keeps the code that it went offline with. */
function record(played: Outage[], seen: readonly Seen[], at: number, state: State | undefined): void {
  if (state?.runs.length === 1) standing.clear();
  const fallen = new Set<string>();
  nodes.forEach(({ id, host }, index) => {
    const code = seen[index];
    if (code === "ok") standing.delete(id);
    else if (typeof code === "string" && !standing.has(id)) {
      standing.set(id, code);
      fallen.add(`${host} ${code}`);
    }
  });
  for (const key of fallen) {
    const [host = "", code = ""] = key.split(" ");
    const same = played.findLast((one) => one.host === host && one.code === code);
    if (same !== undefined && at - (same.end ?? at) < reopenMs) same.end = undefined;
    else played.push({ host, code, start: at, end: undefined });
  }
  const lasting = new Set(
    nodes.flatMap(({ id, host }) => (standing.has(id) ? [`${host} ${standing.get(id) ?? ""}`] : [])),
  );
  for (const one of played)
    if (one.end === undefined && !lasting.has(`${one.host} ${one.code}`)) one.end = at;
}
