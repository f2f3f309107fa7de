import { describe, expect, test } from "vitest";
import { InputError, Interrupted } from "../../../../src/core/base/errors.ts";
import type { Phase } from "../../../../src/core/base/http/codes.ts";
import {
  asFailure,
  failureIn,
  ProbeFailure,
  selectFailure,
  withDeadline,
} from "../../../../src/core/base/http/failure.ts";

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("an error of a connection", () => {
  test.each<[string, string, string?]>([
    ["ECONNREFUSED", "refused"],
    ["ECONNRESET", "reset"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
    ["UNSPECIFIED", "tls"],
    ["ENETUNREACH", "unreachable"],
    // A system call can fail with any error code.
    ["ENOPROTOOPT", "unreachable", "connect"],
    ["EMSGSIZE", "unreachable", "connect"],
    ["EIO", "reset", "read"],
    ["ENOTCONN", "reset", "write"],
  ])("%s is a failure of the mirror: %s", (code, expected, syscall = "") => {
    expect(asFailure(Object.assign(coded(code), { syscall }))).toMatchObject({ code: expected });
  });

  test.each(["EMFILE", "ENFILE"])("%s is none: this machine has no descriptors left", (code) => {
    const failure = asFailure(coded(code));
    expect(failure).toBeInstanceOf(InputError);
    expect(failure.message).toMatch(/raise the limit \(ulimit -n\) or lower probe.concurrency/);
  });

  test.each([new TypeError("of a library"), Object.assign(coded("EIO"), { syscall: "open" }), "thrown"])(
    "that is not known, as %s, is one that keeps it as its cause",
    (error) => {
      expect(asFailure(error)).toMatchObject({ code: "not_http", cause: error });
      expect(asFailure(error, "tls")).toMatchObject({ code: "tls", cause: error });
    },
  );
});

test.each<[Phase, string, string, Phase]>([
  ["wait", "write", "EPIPE", "send"],
  ["wait", "read", "ECONNRESET", "wait"],
  ["body", "write", "EPIPE", "body"],
  ["connect", "read", "CERT_HAS_EXPIRED", "tls"],
])(
  "in the phase %s, the failed system call %s with %s is of the phase %s",
  (phase, syscall, code, expected) => {
    const error = Object.assign(coded(code), { syscall });
    expect(failureIn(phase, error, new AbortController().signal)).toMatchObject({ phase: expected });
  },
);

test("of several failures that of a host that is there says most", () => {
  const failures = ["no_route", "timeout", "refused"] as const;
  expect(selectFailure(failures.map((code) => new ProbeFailure(code))).code).toBe("refused");
  expect(selectFailure([]).code).toBe("dns");
});

function untilAborted(signal: AbortSignal): Promise<AbortSignal> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(signal);
    });
  });
}

describe("a deadline", () => {
  test("ends as a timeout", async () => {
    const signal = await withDeadline(10, new AbortController().signal, untilAborted);
    expect(signal.reason).toMatchObject({ code: "timeout" });
  });

  test("ends once, with the reason of the interrupt if that comes first", async () => {
    const interrupt = new AbortController();
    const done = withDeadline(60_000, interrupt.signal, untilAborted);
    const reason = new Interrupted();
    interrupt.abort(reason);
    interrupt.abort(new Error("later"));
    expect((await done).reason).toBe(reason);
  });

  test("of a run that was interrupted before starts nothing", async () => {
    const task = withDeadline(60_000, AbortSignal.abort(new Interrupted()), () => Promise.resolve("started"));
    await expect(task).rejects.toThrow(Interrupted);
  });

  test("keeps no process alive once its task has ended or failed", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const { signal } = new AbortController();
    const during = withDeadline(60_000, signal, () => Promise.resolve(timers()));
    await expect(during).resolves.toBe(before + 1);
    await expect(withDeadline(60_000, signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(timers()).toBe(before);
  });
});
