import { describe, expect, test } from "vitest";
import { channelTypes } from "../../../src/core/config/channels.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { workflowWarnings } from "../../../src/features/init/workflow-warnings.ts";
import { workflowPath } from "../../../src/features/init/files.ts";
import { readWorkflow } from "../../support/workflow.ts";

const own = readWorkflow("refresh.yml");
const mail = { type: "email", ...channelTypes.email.example };
const issues = { type: "github", ...channelTypes.github.example };

async function warningsOf(
  channels: Record<string, object>,
  text = own,
  path: string = workflowPath,
): Promise<string[]> {
  const network = [{ id: 1, url: "https://git.example.org/a/b" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const config = {
    systems,
    channels: { ...channels, unused: mail },
    notify: Object.keys(channels).map((name) => ({ to: [name] })),
  };
  const checked = validateConfig(JSON.stringify(config), "mirrors.json");
  const warnings = await workflowWarnings(checked, new Map([[path, text]]));
  return warnings.map(({ path: place, message }) => `${place.join(".")}: ${message}`);
}

describe("the workflow of this repository", () => {
  test("passes on the variables of the examples", async () => {
    const hook = { type: "webhook", ...channelTypes.webhook.example };
    expect(await warningsOf({ ops: mail, hook })).toEqual([]);
  });

  test("lacks other variables until they are added", async () => {
    const other = { ...mail, toEnv: "TEAM_EMAIL" };
    expect(await warningsOf({ ops: other })).toEqual([
      "channels.ops: needs the variable TEAM_EMAIL, which no workflow passes on; add TEAM_EMAIL: ${{ secrets.TEAM_EMAIL }} to the env of the step that sends notifications in .github/workflows/refresh.yml",
    ]);
    const added = own.replace(/( +)OPS_EMAIL:.*\n/, "$&$1TEAM_EMAIL: ${{ secrets.TEAM_EMAIL }}\n");
    expect(await warningsOf({ ops: other }, added)).toEqual([]);
  });

  test("may not write issues until its comment is a line", async () => {
    expect(await warningsOf({ ops: issues })).toEqual([expect.stringContaining('add "issues: write"')]);
    const added = own.replace("# issues: write", "issues: write");
    expect(await warningsOf({ ops: issues }, added)).toEqual([]);
    expect(await warningsOf({ ops: { ...issues, tokenEnv: "HOOK_SECRET" } })).toEqual([]);
  });
});

test("a workflow without the job sends nothing", async () => {
  const old = own.replace(/\n {2}notify:\n[^]*/, "\n");
  expect(await warningsOf({ ops: mail }, old)).toEqual([expect.stringContaining("notify: sends nothing")]);
  const inRun = `${old}# OPS_EMAIL SMTP_USER\n          SMTP_PASSWORD: x\n        run: mirrorfeed run --notify\n`;
  expect(await warningsOf({ ops: mail }, inRun)).toHaveLength(2);
});

test("elsewhere nothing is known of who sends", async () => {
  expect(await warningsOf({ ops: mail }, "", ".github/workflows/ci.yml")).toEqual([]);
  expect(await warningsOf({}, "")).toEqual([]);
});

test("another workflow that deploys GitHub Pages is named, unless the feed goes to a branch", async () => {
  const other = "jobs:\n  deploy:\n    steps:\n      - uses: actions/deploy-pages@v4\n";
  const config = validateConfig(
    JSON.stringify({
      systems: [
        {
          system: "s",
          projects: [
            { project: "p", targets: [{ target: "t", network: [{ id: 1, url: "https://a.example/b" }] }] },
          ],
        },
      ],
    }),
    "mirrors.json",
  );
  const warnings = (text: string) =>
    workflowWarnings(
      config,
      new Map([
        [workflowPath, text],
        [".github/workflows/docs.yml", other],
        [".github/workflows/refresh-sharded.yml", readWorkflow("refresh-sharded.yml")],
      ]),
    );
  expect(await warnings(own)).toMatchObject([
    { path: ["site"], message: expect.stringContaining("docs.yml") },
  ]);
  expect(await warnings(own.replace("PUBLISH: pages", "PUBLISH: branch"))).toEqual([]);
});
