import { expect, test } from "vitest";
import { intervalNote } from "../../src/app/config-checks.ts";
import type { Run } from "../../src/core/feed/feed-run.ts";
import { resolveStored } from "../../src/app/advance-feed.ts";
import { listNodes } from "../../src/core/config/nodes.ts";
import { notifiedConfig, notifyState } from "../support/notified-feed.ts";

test("the run that shows that runs are much rarer than configured says so, once, and what to set", () => {
  const config = notifiedConfig([{ id: 1 }]);
  const { run } = resolveStored(config, listNodes(config), notifyState({}));
  const measured = (median_seconds?: number): Run => ({
    ...run,
    interval: { ...run.interval, scheduled_minutes: 30, median_seconds },
  });
  const note =
    "Warning: site.interval is 30 minutes, but runs are 6 hours apart; set it to 6h, or run more often.";
  const slow = measured(6 * 3600);
  expect(intervalNote(measured(), slow)).toEqual([note]);
  expect(intervalNote(undefined, slow)).toEqual([note]);
  expect([intervalNote(slow, slow), intervalNote(slow, measured(45 * 60))].flat()).toEqual([]);
  expect(intervalNote(measured(45 * 60), measured(46.5 * 60))[0]).toContain("set it to 47m,");
});
