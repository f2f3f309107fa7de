import { env } from "node:process";
import { defineConfig } from "vitest/config";

/** Tests of functions alone: no process, no socket, no folder of their own. `npm run test:fast` runs only these. */
export const pure = [
  "test/client/mirrorlist.test.ts",
  "test/config/!(change-file).test.ts",
  "test/docs/docs.test.ts",
  "test/files/system-errors.test.ts",
  "test/hosts/host-table.test.ts",
  "test/http/failure.test.ts",
  "test/init/schedule.test.ts",
  "test/kinds/{git,kinds}.test.ts",
  "test/model/*.test.ts",
  "test/pages/parts.test.ts",
  "test/pipeline/render-site.test.ts",
  "test/probe/{deadline,schedule}.test.ts",
  "test/program/option-values.test.ts",
  "test/publish/difference.test.ts",
  "test/render/!(metrics).test.ts",
  "test/site/routing.test.ts",
  "test/state/!(branch|file).test.ts",
  "test/text/!(shell-word|within-stack).test.ts",
];

/** Compares what thousands of probes at once come to, so the processor is not shared. */
const alone = ["test/faults/stress.test.ts"];

// A timeout is a safety net and no assertion: it only has to be longer than a busy machine takes.
const patienceMs = env["MIRRORFEED_LONG"] === "1" ? 3_600_000 : 300_000;

export default defineConfig({
  test: {
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ["test/support/setup.ts"],
    projects: [
      {
        extends: true,
        test: { name: "pure", include: pure, pool: "threads", isolate: false, maxWorkers: "100%" },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, ...alone],
          // Most of them wait for others.
          maxWorkers: "200%",
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
