import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonValue } from "../src/json-value.ts";

test("every JSON value comes back as it was written", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonValue(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each(["", "{", "undefined", "<html>", "{} {}", "{'a':1}", "\ufeff{}"])("%j is none", (text) => {
  expect(jsonValue(text)).toBeUndefined();
});
