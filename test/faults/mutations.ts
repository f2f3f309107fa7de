import fc, { type Arbitrary } from "fast-check";
import { anyCharacter } from "../support/any-url.ts";

/** What doors have been broken with before: other types, limits of numbers, names that objects have already. */
const nasty: readonly string[] = [
  ...[
    "null",
    "true",
    "-1",
    "0",
    "1.5",
    "1e400",
    "-0",
    "9007199254740993",
    "8640000000000001",
    '""',
    "[]",
    "{}",
  ],
  ...['"__proto__"', '"constructor"', '{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{}}}'],
  ...[
    '"../../../../etc/passwd"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\u001b[31m\\u0007"',
    '"::error::x"',
    '"##[error]x"',
  ],
  ...[
    '"<script>alert(1)</script>"',
    '"\\u202e"',
    '"%2e%2e%2f"',
    '"\\n::set-output name=a::b\\n"',
    "NaN",
    "//x",
  ],
  ...[JSON.stringify("x".repeat(10_000)), "[".repeat(3000), `${"[".repeat(3000)}${"]".repeat(3000)}`],
  ...[
    '{"a":1,"a":2}',
    '"2026-02-30T00:00:00.000Z"',
    '"+275760-09-13T00:00:00.001Z"',
    '"00000000000000000000"',
  ],
];

interface Mutation {
  readonly kind: "renumber" | "replace" | "insert" | "delete" | "repeat" | "cut" | "flip";
  readonly at: number;
  readonly length: number;
  readonly text: string;
  readonly number: number;
}

const mutation: Arbitrary<Mutation> = fc.record({
  // Most texts keep their form: else nothing comes past the first door.
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("renumber", "replace") },
    { weight: 1, arbitrary: fc.constantFrom("insert", "delete", "repeat", "cut", "flip") },
  ),
  at: fc.nat({ max: 9999 }).map((step) => step / 10_000),
  length: fc.nat({ max: 40 }),
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...nasty) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
  ),
  number: fc.oneof(
    fc.constantFrom(0, 1, 999, 8.64e15 - 1, 8.64e15),
    fc.nat(),
    fc.integer({ min: 0, max: 8.64e15 }),
  ),
});

/** Texts that are one of these, or nearly: whole values of JSON replaced, and pieces changed without regard to any form. */
export function nearly(...texts: readonly string[]): Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(mutation, { maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, text));
}

function mutate(text: string, { kind, at, length, text: other, number }: Mutation): string {
  if (kind === "renumber") return replaceMatch(text, /(?<=[[:,])\d+(?=[\],}])/g, at, String(number));
  if (kind === "replace") return replaceMatch(text, scalar, at, other);
  const start = Math.floor(at * text.length);
  const before = text.slice(0, start);
  const piece = text.slice(start, start + length);
  const rest = text.slice(start + length);
  switch (kind) {
    case "insert":
      return before + other + piece + rest;
    case "delete":
      return before + rest;
    case "repeat":
      return before + piece + piece + rest;
    case "cut":
      return before;
    case "flip":
      return (
        before +
        String.fromCharCode((text.charCodeAt(start) || 0) ^ (1 << (length % 8))) +
        text.slice(start + 1)
      );
  }
}

/** A value of JSON that holds no other; names are left alone. */
const scalar = /"(?:[^"\\]|\\.)*"(?!:)|-?\d+(?:\.\d+)?|true|false|null/g;

function replaceMatch(text: string, pattern: RegExp, at: number, other: string): string {
  const found = [...text.matchAll(pattern)];
  const chosen = found[Math.floor(at * found.length)];
  if (chosen === undefined) return text + other;
  return text.slice(0, chosen.index) + other + text.slice(chosen.index + chosen[0].length);
}
