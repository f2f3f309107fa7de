import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/base/errors.ts";
import { asFailure, selectFailure, ProbeFailure } from "../../../src/base/http/failure.ts";

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("an error of a connection", () => {
  test.each([
    ["ECONNREFUSED", "refused"],
    ["ECONNRESET", "reset"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
    ["UNSPECIFIED", "tls"],
    ["ENETUNREACH", "unreachable"],
  ])("%s is a failure of the mirror: %s", (code, expected) => {
    expect(asFailure(coded(code))).toMatchObject({ code: expected });
  });

  test.each([
    ["connect", "ENOPROTOOPT", "unreachable"],
    ["connect", "EMSGSIZE", "unreachable"],
    ["read", "EIO", "reset"],
    ["write", "ENOTCONN", "reset"],
  ])("of the system, at %s: %s is %s, whatever the network answers", (syscall, code, expected) => {
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

test("of several failures that of a host that is there says most", () => {
  const failures = ["no_route", "timeout", "refused"] as const;
  expect(selectFailure(failures.map((code) => new ProbeFailure(code))).code).toBe("refused");
  expect(selectFailure([]).code).toBe("dns");
});
