import fc from "fast-check";
import { expect, test } from "vitest";
import { tryParseJson } from "../../../src/base/text/parse-json.ts";

test("every JSON value comes back as it was written", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(tryParseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each(["", "{", "undefined", "<html>", "{} {}", "{'a':1}", "\ufeff{}"])("%j is none", (text) => {
  expect(tryParseJson(text)).toBeUndefined();
});
