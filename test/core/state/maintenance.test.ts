import { expect, test } from "vitest";
import { maintenanceReason } from "../../../src/core/config/nodes.ts";
import { nodesAt } from "../../support/rounds.ts";

const from = "2026-03-01T10:00:00Z";
const to = "2026-03-01T11:00:00Z";

test.each<[string, string, string | undefined]>([
  ["before it", "2026-03-01T09:59:59.999Z", undefined],
  ["from its start on", from, "disks"],
  ["until just before its end", "2026-03-01T10:59:59.999Z", "disks"],
  ["at its end", to, undefined],
])("maintenance %s", (_, timestamp, reason) => {
  const [node] = nodesAt(["a.example.org"]);
  if (node === undefined) throw new Error("there is a node");
  const windows = [{ scope: "a.example.org", from, to, reason: "disks" }];
  expect(maintenanceReason(windows, node, Date.parse(timestamp))).toBe(reason);
});
