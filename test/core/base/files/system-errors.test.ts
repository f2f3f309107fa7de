import { expect, test } from "vitest";
import { rethrowing } from "../../../../src/core/base/files/system-errors.ts";

function errorOf(code: string): Error {
  return Object.assign(new Error("The file system refuses."), { code });
}

test.each([
  ["ENOSPC", "x cannot be written: the disk is full; free some space and run again."],
  ["EMFILE", "x cannot be written: too many files are open; raise the limit (ulimit -n) and run again."],
  ["EACCES", "x cannot be written: permission denied; change its permissions or name another."],
  ["EBUSY", "x cannot be written: it is a mount point or in use; name another."],
])("%s is reported with a remedy, and with another place only if that would help", (code, sentence) => {
  const error = errorOf(code);
  const problem = expect.objectContaining({ name: "InputError", message: sentence, cause: error });
  expect(() => rethrowing("x cannot be written", "name another")(error)).toThrow(problem);
});

test.each([errorOf("EUNKNOWN"), new Error("No code."), undefined])("%j is left to others", (error) => {
  expect(() => rethrowing("x cannot be written", "name another")(error)).toThrow(error);
});
