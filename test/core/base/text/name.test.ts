import { expect, test } from "vitest";
import { closestName } from "../../../../src/core/base/text/name.ts";

const names = ["network", "target", "primary", "nginx", "run", "id"];

test.each([
  ["netwrk", "network"],
  ["ngnix", "nginx"],
  ["NETWORKS", "network"],
])("%s is probably %s", (text, name) => {
  expect(closestName(text, names)).toBe(name);
});

test.each(["xy", "ip", "geocities", "", "work"])("%j is not like any", (text) => {
  expect(closestName(text, names)).toBeUndefined();
});
