import { expect, test } from "vitest";
import { readCommands } from "./log-command.ts";

test("commands are found where the runner finds them", () => {
  const obeyed = ["::warning title=a::b", "\t ::error file=x,line=1::c", "text ##[error]d"];
  const ignored = ["text ::error::no", "::unknown::no"];
  const stopped = ["::stop-commands::t0", "::error::no", "##[error]no", "::t0::"];
  const output = [...obeyed, ...ignored, ...stopped, "::notice::e"].join("\n");
  expect(readCommands(output).map(({ name, data }) => `${name} ${data}`)).toEqual([
    "warning b",
    "error c",
    "error d",
    "notice e",
  ]);
  expect(() => readCommands("::stop-commands::t0")).toThrow("does not resume");
});
