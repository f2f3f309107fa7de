import { test } from "vitest";
import { parseListen } from "../../../src/features/hosts/host-command.ts";
import { expectRefused, expectTaken, type Parse } from "../../support/option-values.ts";

test.each<[Parse, Record<string, unknown>]>([
  [
    parseListen,
    {
      "8080": { address: "0.0.0.0", port: 8080 },
      "127.0.0.1:80": { address: "127.0.0.1", port: 80 },
      "[::1]:80": { address: "::1", port: 80 },
    },
  ],
])("%o takes its values", expectTaken);

test.each<[Parse, readonly string[]]>([[parseListen, ["here", "::1:80:", "a;b:80"]]])(
  "%o refuses other texts with a sentence",
  expectRefused,
);
