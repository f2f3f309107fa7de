import { expect, test } from "vitest";
import { modernize, oldSpellings, type Syntax } from "../../src/program/old-spellings.ts";

const none = { min: 0, max: 0 };
const run: Syntax = { name: "run", withValue: ["--out", "--run-id", "--dns"], arguments: none };
const pick: Syntax = { name: "pick", withValue: ["--exclude"], arguments: { min: 2, max: 2 } };
const init: Syntax = { name: "init", withValue: ["--mirror"], arguments: { min: 0, max: 1 } };
const probe: Syntax = { name: "probe", withValue: ["--dns"], arguments: { min: 0, max: 1 } };

test.each<[Syntax, string, string]>([
  [run, "--run 7 --json", "--run-id 7 --json"],
  [run, "--run=7", "--run-id=7"],
  [{ ...run, name: "watch" }, "--every 60s", "--interval 60s"],
  [{ ...run, name: "serve" }, "--host 0.0.0.0", "--address 0.0.0.0"],
  [{ ...run, name: "init" }, "--schedule 6h", "--interval 6h"],
  [
    run,
    "--dns 192.0.2.1 192.0.2.2 192.0.2.3 --json",
    "--dns 192.0.2.1 --dns 192.0.2.2 --dns 192.0.2.3 --json",
  ],
  [pick, "https://x/ a/b/c --exclude one two", "https://x/ a/b/c --exclude one --exclude two"],
  [init, "feed --mirror https://a/ https://b/", "feed --mirror https://a/ --mirror https://b/"],
  [init, "--mirror https://a/ https://b/", "--mirror https://a/ --mirror https://b/"],
])("an old spelling of $name, %s, is rewritten with a warning", (syntax, before, after) => {
  const { parameters, warnings } = modernize(before.split(" "), syntax);
  expect(parameters.join(" ")).toBe(after);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(
    /^(?:--[a-z]+ is now --[a-z-]+|Repeat --[a-z]+ for each of its values).* next minor version\.$/,
  );
});

test.each<[Syntax, string]>([
  [run, "--run-id 7 --dns 192.0.2.1,192.0.2.2"],
  [run, "--out --run --json"],
  [run, "-- --run 7"],
  [pick, "--exclude one https://x/ a/b/c"],
  [pick, "https://x/ --exclude one a/b/c"],
  [pick, "--exclude one two https://x/ a/b/c"],
  [init, "--mirror https://a/ feed"],
  [probe, "--dns 192.0.2.1 https://a/"],
  [probe, ""],
])("$name %s stays as it is", (syntax, text) => {
  expect(modernize(text.split(" "), syntax)).toEqual({ parameters: text.split(" "), warnings: [] });
});

test.each(oldSpellings())("$command $before of the reference becomes $now", ({ command, before, now }) => {
  const [name = "", ...values] = before.split(" ");
  const syntax: Syntax = { name: command, withValue: values.length > 0 ? [name] : [], arguments: none };
  const { parameters, warnings } = modernize(before.split(" "), syntax);
  expect([parameters.join(" "), warnings.length]).toEqual([now, 1]);
});
