import { expect, test } from "vitest";
import { metricsText } from "../../../src/outputs/metrics/metrics.ts";

test("a gauge is a line of help, one of its type, and one for each sample", () => {
  const text = metricsText([
    {
      name: "mirrorfeed_a_seconds",
      help: "One.",
      samples: [
        { labels: {}, value: 1 },
        { labels: { x: "1", y: "2" }, value: 0.5 },
      ],
    },
    { name: "mirrorfeed_b", help: "Without a sample.", samples: [] },
    { name: "mirrorfeed_c", help: "Two.", samples: [{ labels: { x: "" }, value: 0 }] },
  ]);
  expect(text.split("\n")).toEqual([
    "# HELP mirrorfeed_a_seconds One.",
    "# TYPE mirrorfeed_a_seconds gauge",
    "mirrorfeed_a_seconds 1",
    'mirrorfeed_a_seconds{x="1",y="2"} 0.5',
    "# HELP mirrorfeed_c Two.",
    "# TYPE mirrorfeed_c gauge",
    'mirrorfeed_c{x=""} 0',
    "",
  ]);
});

test.each([
  ["a quote", 'a"b"', String.raw`a\"b\"`],
  ["a backslash", String.raw`a\n`, String.raw`a\\n`],
  ["a line end", "a\nb\n", String.raw`a\nb\n`],
])("%s in a label is escaped", (_, value, written) => {
  const text = metricsText([{ name: "a", help: "One.", samples: [{ labels: { x: value }, value: 1 }] }]);
  expect(text).toContain(`\na{x="${written}"} 1\n`);
});
