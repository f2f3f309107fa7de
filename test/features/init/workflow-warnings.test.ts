import { describe, expect, test } from "vitest";
import { channelTypes } from "../../../src/core/config/channels.ts";
import { workflowWarnings } from "../../../src/features/init/workflow-warnings.ts";
import { workflowPath } from "../../../src/features/init/files.ts";
import { configFrom, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { readWorkflow } from "../../support/workflow.ts";

const own = readWorkflow("refresh.yml");
const mail = { type: "email", ...channelTypes.email.example };
const issues = { type: "github", ...channelTypes.github.example };

const configWith = (more: object) =>
  configFrom(mirrorsJson(networkAt(["https://git.example.org/a/b"]), more));

function warningsOf(channels: Record<string, object>, text = own, path: string = workflowPath): string[] {
  const more = {
    channels: { ...channels, unused: mail },
    notify: Object.keys(channels).map((name) => ({ to: [name] })),
  };
  const warnings = workflowWarnings(configWith(more), new Map([[path, text]]));
  return warnings.map(({ path: place, message }) => `${place.join(".")}: ${message}`);
}

describe("the workflow of this repository", () => {
  test("passes on the variables of the examples", () => {
    const hook = { type: "webhook", ...channelTypes.webhook.example };
    expect(warningsOf({ ops: mail, hook })).toEqual([]);
  });

  test("lacks other variables until they are added", () => {
    const other = { ...mail, toEnv: "TEAM_EMAIL" };
    expect(warningsOf({ ops: other })).toEqual([
      "channels.ops: needs the variable TEAM_EMAIL, which no workflow passes on; add TEAM_EMAIL: ${{ secrets.TEAM_EMAIL }} to the env of the step that sends notifications in .github/workflows/refresh.yml",
    ]);
    const added = own.replace(/( +)OPS_EMAIL:.*\n/, "$&$1TEAM_EMAIL: ${{ secrets.TEAM_EMAIL }}\n");
    expect(warningsOf({ ops: other }, added)).toEqual([]);
  });

  test("may not write issues until its comment is a line", () => {
    expect(warningsOf({ ops: issues })).toEqual([expect.stringContaining('add "issues: write"')]);
    const added = own.replace("# issues: write", "issues: write");
    expect(warningsOf({ ops: issues }, added)).toEqual([]);
    expect(warningsOf({ ops: { ...issues, tokenEnv: "HOOK_SECRET" } })).toEqual([]);
  });
});

test.each<[string, string[], string | undefined]>([
  ["6h", ["7 */6 * * *"], undefined],
  ["60m", ["7 * * * *"], undefined],
  ["1d", ["7 7 * * *"], undefined],
  ["30m", ["7 */6 * * *"], 'starts a run every 6h; write 6h here, or write "7,37 * * * *" there'],
  ["45m", ["7,37 * * * *"], "starts a run every 30m; write 30m here"],
  // Only the schedules that init writes are known.
  ["30m", ["0 */6 * * *"], undefined],
  ["30m", ["7 * * * *", "37 * * * *"], undefined],
  ["30m", [], undefined],
])("an interval of %s and the schedule %j", (interval, crons, problem) => {
  const text = crons.map((cron) => `    - cron: "${cron}" # Runs\n`).join("");
  const warnings = workflowWarnings(configWith({ site: { interval } }), new Map([[workflowPath, text]]));
  expect(warnings.map(({ message }) => message)).toEqual(
    problem === undefined ? [] : [`is ${interval}, but .github/workflows/refresh.yml ${problem}`],
  );
});

test("a workflow without the job sends nothing", () => {
  const old = own.replace(/\n {2}notify:\n[^]*/, "\n");
  expect(warningsOf({ ops: mail }, old)).toEqual([expect.stringContaining("notify: sends nothing")]);
  const inRun = `${old}# OPS_EMAIL SMTP_USER\n          SMTP_PASSWORD: x\n        run: mirrorfeed run --notify\n`;
  expect(warningsOf({ ops: mail }, inRun)).toHaveLength(2);
});

test("elsewhere nothing is known of who sends", () => {
  expect(warningsOf({ ops: mail }, "", ".github/workflows/ci.yml")).toEqual([]);
  expect(warningsOf({}, "")).toEqual([]);
});

test("another workflow that deploys GitHub Pages is named, unless the feed goes to a branch", () => {
  const other = "jobs:\n  deploy:\n    steps:\n      - uses: actions/deploy-pages@v4\n";
  const warnings = (text: string) =>
    workflowWarnings(
      configWith({}),
      new Map([
        [workflowPath, text],
        [".github/workflows/docs.yml", other],
        [".github/workflows/refresh-sharded.yml", readWorkflow("refresh-sharded.yml")],
      ]),
    );
  expect(warnings(own)).toMatchObject([{ path: ["site"], message: expect.stringContaining("docs.yml") }]);
  expect(warnings(own.replace("PUBLISH: pages", "PUBLISH: branch"))).toEqual([]);
});
