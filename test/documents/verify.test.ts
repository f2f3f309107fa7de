import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runConsole, withoutChance } from "../support/console.ts";
import { feedDocuments } from "../support/contract/feed.ts";
import { deploy } from "../support/deployment.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { runInProcess } from "../support/in-process.ts";
import { initForPages, withoutPacking } from "../support/init-options.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/verify.md");

/** Deploys the feed with 404 answers in place of all answers with this status, and returns the feed's URL. */
async function deployWithout(status: number): Promise<string> {
  const { url } = await deploy(feedDocuments, (draft) => ({
    ...draft,
    status: draft.status === status ? 404 : draft.status,
  }));
  return url;
}

test("each case has the fields that are named", async () => {
  const url = await deployWithout(405);
  const { stdout } = await runInProcess(["verify", url, "--json"], { folder: temporaryFolder() });
  const { cases } = JSON.parse(stdout) as { cases: object[] };
  const [, named = ""] = /`--json` prints .*? each case has ([^]*?)\./.exec(guide.text) ?? [];
  const fields = [...named.matchAll(/`(\w+)`/g)].map(([, field]) => field);
  expect(new Set(cases.flatMap((one) => Object.keys(one)))).toEqual(new Set(fields));
});

test("a deployment that answers 404 instead of 400 is printed so", async () => {
  const [, sample] = blocksOf(guide, "console");
  const url = await deployWithout(400);
  const replaced = { "https://status.example.org": url };
  const text = sample?.text ?? "";
  expect(await runConsole(text, { folder: temporaryFolder(), replaced })).toBe(withoutChance(text));
});

test("the job fits the workflow of init", async () => {
  const folder = temporaryFolder();
  expect((await runInProcess(initForPages, { folder, environment: withoutPacking() })).code).toBe(0);
  const text = readFileSync(join(folder, ".github/workflows/refresh.yml"), "utf8");
  const workflow = parse(text) as {
    env: object;
    jobs: Record<string, { outputs?: object; steps: { uses?: string }[] }>;
  };
  const [block] = blocksOf(guide, "yaml");
  const { verify } = parse(block?.text ?? "") as {
    verify: { needs: string[]; steps: { uses?: string; run?: string }[] };
  };
  expect(Object.keys(workflow.jobs)).toEqual(expect.arrayContaining(verify.needs));
  expect(workflow.jobs["refresh"]?.outputs).toHaveProperty("url");
  expect(workflow.env).toHaveProperty("MIRRORFEED");
  expect(workflow.jobs["refresh"]?.steps[0]?.uses).toBe(verify.steps[0]?.uses);
  const [, command = ""] = /^\$MIRRORFEED (.*)$/.exec(verify.steps[1]?.run ?? "") ?? [];
  expect(command).toBe('verify "${{ needs.refresh.outputs.url }}" --profile pages');
});
