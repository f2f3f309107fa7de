import { availableParallelism } from "node:os";
import { env } from "node:process";
import { defineConfig } from "vitest/config";

/** Tests of pure functions, without processes, sockets or folders. `npm run test:fast` runs only these. */
export const pure = [
  "test/base/{files/system-errors,http/failure,text/!(json|quote)}.test.ts",
  "test/channels/{hostile-names,html,text}.test.ts",
  "test/client/mirrorlist.test.ts",
  "test/commands/{init/schedule,options,program,shard,wait/gate}.test.ts",
  "test/config/!(change-file|load).test.ts",
  "test/config/import/load-mirrors.test.ts",
  "test/contract/*.test.ts",
  "test/documents/{commands,links,settings,tables}.test.ts",
  "test/feed/*.test.ts",
  "test/hosts/registry.test.ts",
  "test/kinds/{any-conversation,kinds,lists,mirror-files,package-list}.test.ts",
  "test/notify/*.test.ts",
  "test/outputs/{badges,changes,lists,openapi,report,statuspage,templates}/!(calendar).test.ts",
  "test/outputs/pages/{days,markdown,summary,docs/docs}.test.ts",
  "test/probe/schedule.test.ts",
  "test/run/{explain,render-site,summary}.test.ts",
  "test/state/!(branch|file|store).test.ts",
];

/** Thousands of concurrent probes need the whole CPU. */
const alone = ["test/faults/stress.test.ts"];

// No test relies on this timeout. It only has to be longer than any test takes on a busy machine.
const timeoutMs = env["MIRRORFEED_LONG"] === "1" ? 3_600_000 : 300_000;

export default defineConfig({
  test: {
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: ["test/support/memory.ts"],
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
          // If test files were isolated, each would load the program again, which takes a quarter of the CPU time.
          isolate: false,
          // Most tests wait for other processes, so each CPU gets two workers. This is a number because Vitest treats "200%"
          // as 100 %.
          maxWorkers: 2 * availableParallelism(),
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
