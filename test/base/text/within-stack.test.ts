import { describe, expect, test } from "vitest";
import { validateConfig } from "../../../src/config/validate.ts";
import { InputError } from "../../../src/base/errors.ts";
import { parseState } from "../../../src/state/document.ts";
import { withinStack } from "../../../src/base/text/within-stack.ts";

const many = 150_000;

function feedOf(network: unknown): string {
  return JSON.stringify({
    systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
  });
}

describe("a door refuses in one sentence", () => {
  test.each([
    [
      "a feed nested without end",
      () => validateConfig("[".repeat(many), "mirrors.json"),
      "nested too deeply",
    ],
    [
      "a feed of many invalid nodes",
      () => validateConfig(feedOf(Array(many).fill({})), "mirrors.json"),
      "too many problems",
    ],
    [
      "a feed that is not JSON anywhere",
      () => validateConfig("@ ".repeat(many), "mirrors.json"),
      "line 1, column 1",
    ],
    [
      "a feed with a name that stands without end",
      () => validateConfig(`{${'"a":1,'.repeat(many)}"b":1}`, "mirrors.json"),
      "and 803 more",
    ],
    [
      "a state of broken entries without end",
      () => {
        const nodes = Object.fromEntries(Array.from({ length: many }, (_, index) => [index + 1, []]));
        return parseState(JSON.stringify({ schema: 1, vantages: { a: { at: 1, nodes } } }), "state.json");
      },
      "is not valid",
    ],
  ])("%s", (_, door, sentence) => {
    let logged: unknown;
    try {
      door();
    } catch (error) {
      logged = error;
    }
    expect(logged).toBeInstanceOf(InputError);
    expect(String(logged)).toContain(sentence);
    expect(String(logged).length).toBeLessThan(20_000);
  });
});

test("an unexpected error is not a problem of the text", () => {
  const problem = new TypeError("unexpected");
  expect(() =>
    withinStack(() => {
      throw problem;
    }, "theirs"),
  ).toThrow(problem);
});
