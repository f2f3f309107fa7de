import { test } from "vitest";
import { parseListen } from "../../../src/features/hosts/host-command.ts";
import { expectRefused, expectTaken } from "../../support/option-values.ts";

test("--listen takes a port, or an address with a port, and refuses other texts with a sentence", () => {
  expectTaken(parseListen, {
    "8080": { address: "0.0.0.0", port: 8080 },
    "127.0.0.1:80": { address: "127.0.0.1", port: 80 },
    "[::1]:80": { address: "::1", port: 80 },
  });
  expectRefused(parseListen, ["here", "::1:80:", "a;b:80"]);
});
