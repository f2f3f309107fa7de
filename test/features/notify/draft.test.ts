import fc from "fast-check";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { composeMessage } from "../../../src/features/notify/compose.ts";
import { beginAttempts, dueMessages, mark } from "../../../src/features/notify/outbox.ts";
import { notifiedConfig, playRun } from "../../support/notified-feed.ts";
import { day, midnight } from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";
import { resolveStored } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";

const outcomes = ["sent", "failed", "arrived late", "lost", "killed before", "killed after"] as const;
type Outcome = (typeof outcomes)[number];

const run = fc.record({
  down: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  code: fc.constantFrom("timeout", "refused"),
});
const sending = fc.record({ outcome: fc.constantFrom<Outcome>("sent", "sent", ...outcomes) });
/** At most nine attempts fail, because a message is given up after ten failed attempts. */
const steps = fc
  .array(fc.oneof(run, run, sending), { maxLength: 25 })
  .filter((all) => all.filter((step) => "outcome" in step && step.outcome !== "sent").length < 10);

/**
 * Records the phases that each channel got about each mirror, and `unknown` after each attempt whose outcome is
 * unknown.
 */
class Heard {
  readonly #ids = new Set<string>();
  readonly #byMirror = new Map<string, string[]>();
  #state: FeedState | undefined;
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  run(at: number, down: readonly boolean[], code: string): void {
    const seen = Object.fromEntries(down.map((isDown, index) => [index + 1, isDown ? code : "ok"]));
    this.#state = playRun(this.#config, this.#state, { at, seen });
  }

  /** Sends the due messages, and returns how many there were. */
  send(outcome: Outcome): number {
    const { notifications } = this.#state ?? {};
    if (this.#state === undefined || notifications === undefined) return 0;
    const feed = resolveStored(this.#config, listNodes(this.#config), this.#state);
    const due = dueMessages(notifications, midnight + 99 * day);
    let known = beginAttempts(
      notifications,
      due.map(([id]) => id),
    );
    for (const [id, waiting] of due) {
      const hasArrived = outcome === "sent" || outcome === "arrived late" || outcome === "killed after";
      const isKnown = outcome === "sent" || outcome === "failed";
      for (const { phase, mirrors } of composeMessage(id, waiting, feed)?.events ?? [])
        for (const mirror of mirrors) {
          const said = `${mirror.id} of ${waiting.channel}`;
          const isOffline = this.#state.nodes[mirror.id]?.status === 0;
          expect(`${said}: ${phase} ${isOffline}`).toBe(`${said}: ${phase} ${phase === "begin"}`);
          const heard = this.#byMirror.get(said) ?? [];
          if (hasArrived && !this.#ids.has(id)) heard.push(phase);
          if (!isKnown) heard.push("unknown");
          this.#byMirror.set(said, heard);
        }
      if (hasArrived) this.#ids.add(id);
      if (outcome.startsWith("killed")) continue;
      known =
        outcome === "sent"
          ? mark(known, id, { outcome }, midnight)
          : mark(
              known,
              id,
              { outcome: "failed", reason: "", ...(outcome !== "failed" && { mayHaveArrived: true }) },
              midnight,
            );
    }
    this.#state = { ...this.#state, notifications: known };
    return due.length;
  }

  /** Checks that the last phase that each channel got about each mirror matches the mirror's current state. */
  check(): void {
    for (const id of [1, 2, 3])
      for (const channel of ["ops", "ann"]) {
        const all = this.#byMirror.get(`${id} of ${channel}`) ?? [];
        const last = all.filter((one) => one !== "unknown").at(-1) ?? "end";
        const isHeard = channel === "ops" || id === 1;
        const isOffline = isHeard && this.#state?.nodes[id]?.status === 0;
        expect(`${id} ${channel} ${all.join()} ${last}`).toBe(
          `${id} ${channel} ${all.join()} ${isOffline ? "begin" : "end"}`,
        );
        expect(`,${all.join()},`).not.toMatch(/,begin,begin,|,end,end,/);
      }
  }
}

const rule = { to: ["ops", "contact"], events: ["offline"], after: "0s" };

test.each([
  ["their own hosts", (index: number) => `${"abc"[index]}.example.org`],
  ["one host", () => "a.example.org"],
])("mirrors of %s are said to be as they are when it is sent", (place, hostOf) => {
  const mirrors = [1, 2, 3].map((id, index) => ({
    ...{ id, host: hostOf(index), target: `t${id}` },
    ...(id === 1 && { contact: "ann" }),
  }));
  const config = notifiedConfig(mirrors, rule);
  fc.assert(
    fc.property(steps, (all) => {
      const heard = new Heard(config);
      heard.run(0, [false, false, false], "ok");
      for (const [index, step] of all.entries())
        if ("down" in step) heard.run(index + 1, step.down, step.code);
        else heard.send(step.outcome);
      heard.send("sent");
      expect(heard.send("sent")).toBe(0);
      // An incident of several mirrors ends only once all are back, so a mirror's end can come late.
      if (place !== "one host") heard.check();
    }),
    { numRuns: trials(1000) },
  );
});
