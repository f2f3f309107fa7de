import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { advance } from "../../../src/core/state/advance.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { freshnessAt } from "../../../src/core/state/freshness.ts";
import type { Status } from "../../../src/core/contract/network.ts";
import { networkAt, projectConfig, type Seen, vantageOf } from "../../support/rounds.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";

const minute = 60_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const providers = ["a.example.org", "b.example.org", "c.example.org"];
const failureThreshold = 2;
const successThreshold = 2;

const config = projectConfig(
  ["t1", "t2"].map((target, place) => ({
    target,
    primary: place * 3 + 1,
    network: networkAt(
      providers.map((host) => `https://${host}/x/${target}`),
      place * 3 + 1,
    ),
  })),
  { probe: { failureThreshold, successThreshold }, site: { interval: "30m" } },
);
const nodes = listNodes(config);

/**
 * The true state of a network: which providers and nodes are down, the repositories, and whether the prober is online.
 */
class World {
  readonly providerDown = providers.map(() => 0);
  readonly nodeDown = nodes.map(() => 0);
  proberDown = 0;
  readonly #random: () => number;
  /**
   * For each target, every revision that its primary has had. The next field, `#held`, has the current revision of each
   * node.
   */
  readonly #history: number[][] = [[1], [1]];
  readonly #held = nodes.map(() => 1);
  #newest = 1;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Advances the world by half an hour. */
  live(): void {
    const roll = this.#random;
    this.proberDown = Math.max(0, this.proberDown - 1) || (roll() < 0.005 ? 1 + Math.floor(roll() * 12) : 0);
    this.providerDown.forEach((left, index) => {
      this.providerDown[index] = Math.max(0, left - 1) || (roll() < 0.004 ? 1 + Math.floor(roll() * 40) : 0);
    });
    this.nodeDown.forEach((left, index) => {
      this.nodeDown[index] = Math.max(0, left - 1) || (roll() < 0.01 ? 1 + Math.floor(roll() * 6) : 0);
    });
    this.#history.forEach((history, target) => {
      if (roll() < 0.05) history.push((this.#newest += 1));
      // A force-push takes the primary back to an earlier revision.
      else if (roll() < 0.01) history.push(history[Math.floor(roll() * history.length)] ?? 1);
      for (const index of [target * 3, target * 3 + 1, target * 3 + 2]) {
        const follows = index % 3 === 0 || roll() < 0.3;
        if (follows) this.#held[index] = history.at(-1) ?? 1;
      }
    });
  }

  isUp(index: number): boolean {
    return this.nodeDown[index] === 0 && this.providerDown[index % 3] === 0;
  }

  holdsWhatThePrimaryHolds(index: number): boolean {
    return this.#held[index] === this.#held[Math.floor(index / 3) * 3];
  }

  see(index: number): Seen {
    if (this.proberDown > 0) return "dns";
    if (!this.isUp(index))
      return this.#random() < 0.5 ? "timeout" : { code: "http_status", http_status: 502 };
    if (this.#random() < 0.01) return "rate_limited";
    const revision = (this.#held[index] ?? 0).toString(16).padStart(16, "0").padEnd(40, "0");
    return { latency_ms: 50 + Math.floor(this.#random() * 400), revision, branch: "main" };
  }
}

const worlds = Array.from({ length: trials(3) }, (_, index) => seed + index);

/** Used instead of expect(), because tens of thousands of calls of expect() would take longer than the runs. */
function hold(isTrue: boolean): void {
  if (!isTrue) throw new Error("The state differs from the truth.");
}

describe.each(worlds)("1,500 runs of a network whose truth is known (seed %s)", (from) => {
  test("call no mirror offline while the prober is offline, and find every outage", () => {
    const random = randomNumbers(from);
    const world = new World(random);
    let state: State | undefined;
    let timestamp = start;
    let voids = 0;
    let dropped = 0;
    let changes = 0;
    /** How many runs in a row have contradicted a node's verdict. */
    const against = nodes.map(() => 0);

    for (let run = 0; run < 1500; run += 1) {
      world.live();
      timestamp += 30 * minute;
      if (random() < 0.03) {
        dropped += 1;
        continue;
      }
      const at = timestamp + Math.floor(random() * 12) * minute;
      const seen = nodes.map((_, index) => world.see(index));
      const before = state;
      const { state: after, online } = advance(
        config,
        nodes,
        { run: `r${run}`, at, vantages: [vantageOf("default", seen)] },
        before,
      );

      if (online.length === 0) {
        voids += 1;
        expect(after).toBe(before);
        continue;
      }
      // The run is not void, so the prober was up.
      expect(world.proberDown).toBe(0);
      if (after === undefined) throw new Error("a run with an answer leaves a state");
      nodes.forEach(({ id }, index) => {
        const is: Status = world.isUp(index) ? 1 : 0;
        const was = before?.nodes[String(id)]?.status;
        const now = after.nodes[id]?.status;
        const rateLimited = seen[index] === "rate_limited";
        if (was !== undefined && now !== was) {
          changes += 1;
          hold(now === is);
        }
        if (!rateLimited) against[index] = now === is ? 0 : (against[index] ?? 0) + 1;
        hold((against[index] ?? 0) < (is === 0 ? failureThreshold : successThreshold));

        const { revision } = after.nodes[id] ?? {};
        const primary = Math.floor(index / 3) * 3;
        if (
          !rateLimited &&
          is === 1 &&
          world.isUp(primary) &&
          seen[primary] !== "rate_limited" &&
          revision !== undefined
        ) {
          hold((freshnessAt(after.nodes[id], at) === "in_sync") === world.holdsWhatThePrimaryHolds(index));
        }
      });
      // Incidents would take half of the time, and nothing here depends on them.
      state = { ...after, incidents: undefined };
    }

    expect({ voids: voids > 20, dropped: dropped > 20, changes: changes > 50 }).toEqual({
      voids: true,
      dropped: true,
      changes: true,
    });
  });
});
