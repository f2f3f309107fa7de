import { availableParallelism } from "node:os";
import { env } from "node:process";
import { defineConfig } from "vitest/config";

/** Tests of pure functions, without processes, sockets or folders. `npm run test:fast` runs only these. */
export const pure = [
  "test/features/*/*-options.test.ts",
  "test/core/base/{files/system-errors,http/failure,text/!(json|quote)}.test.ts",
  "test/features/notify/channels/{hostile-names,message}.test.ts",
  "test/client/mirrorlist.test.ts",
  "test/app/{render-site,run-summary,state-notes,commands/{options,program,shard}}.test.ts",
  "test/core/config/!(load).test.ts",
  "test/core/{contract,feed,verdict}/*.test.ts",
  "test/documents/{commands,links,settings,tables}.test.ts",
  "test/core/kinds/{any-conversation,kinds,mirror-files,package-list}.test.ts",
  "test/core/probe/schedule.test.ts",
  "test/core/site/report.test.ts",
  "test/core/state/!(branch-store|store|stored-state).test.ts",
  "test/features/{badges,changes,lists,statuspage}/!(calendar|list-tools).test.ts",
  "test/features/add/{edit-nodes,load-mirrors}.test.ts",
  "test/features/explain/!(git-remedies).test.ts",
  "test/features/hosts/host-registry.test.ts",
  "test/features/incidents/notice-markdown.test.ts",
  "test/features/jcb/*.test.ts",
  "test/features/layout/state-summary.test.ts",
  "test/features/notify/{compose,difference,secrets,simulation}.test.ts",
  "test/features/openapi/{openapi,docs/docs-page}.test.ts",
  "test/features/pages/day-bars.test.ts",
  "test/features/templates/template.test.ts",
  "test/features/wait/release-check.test.ts",
];

/** Thousands of concurrent probes need the whole CPU. */
const alone = ["test/faults/stress.test.ts"];

/** Long tests, and those with web servers, package managers and a browser. `npm run test:all` and .ci/run run them. */
const more = [
  "test/{lint,package}.test.ts",
  "test/faults/*.test.ts",
  "test/workflows/*.test.ts",
  "test/client/{published,samples}.test.ts",
  "test/core/kinds/{apt-archive,new-kind,pacman-mirror,rpm-repository}.test.ts",
  "test/core/state/stored-state.test.ts",
  "test/documents/{console,notifications,troubleshooting,use-a-feed,verify}.test.ts",
  "test/features/changes/calendar.test.ts",
  "test/features/demo/{demo-command,demo-once}.test.ts",
  "test/features/hosts/{apache,caddy,cloudflare,netlify,nginx,php,vercel}.test.ts",
  "test/features/init/{packed,published}.test.ts",
  "test/features/layout/layout.test.ts",
  "test/features/lists/list-tools.test.ts",
  "test/features/notify/{processes,channels/{new-channel,received-mail}}.test.ts",
  "test/features/openapi/docs-in-browser.test.ts",
  "test/features/templates/samples.test.ts",
  "test/features/publish/{foreign-branch,races,remotes}.test.ts",
  "test/features/pages/{accessibility,baselines,days-in-browser,first-sight,script,search,site}.test.ts",
];

const isLeftOut = env["npm_lifecycle_event"] === "test" && env["MIRRORFEED_REQUIRE_ALL"] !== "1";

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
        test: {
          name: "pure",
          include: pure,
          pool: "threads",
          isolate: false,
          maxWorkers: "100%",
          // Said once, not by each project.
          globalSetup: isLeftOut ? ["test/support/left-out.ts"] : [],
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, ...(isLeftOut ? more : alone)],
          // If test files were isolated, each would load the program again, which takes a quarter of the CPU time.
          isolate: false,
          // Most tests wait for other processes, so each CPU gets two workers. This is a number because Vitest treats "200%"
          // as 100 %.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      ...(isLeftOut
        ? []
        : [
            {
              extends: true as const,
              test: { name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
            },
          ]),
    ],
  },
});
