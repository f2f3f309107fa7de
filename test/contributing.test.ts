import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the picture of the rooms has them in the order that the linter enforces", () => {
  const [, list = ""] = /const rooms = \[(.*?)\n\];/s.exec(readFileSync("oxlint.config.js", "utf8")) ?? [];
  const rooms = [...list.matchAll(/"(\w+)"/g)].map(([, room]) => room);
  const [, picture = ""] = /```text\n(.*?)```/s.exec(readFileSync(".github/CONTRIBUTING.md", "utf8")) ?? [];
  const drawn = [...picture.matchAll(/^ {2}(\w+) /gm)].map(([, room]) => room);
  expect(rooms.length).toBeGreaterThan(20);
  expect(drawn.reverse()).toEqual(rooms);
});
