import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifySums } from "../../src/client/signature.ts";
import { put } from "../support/folder.ts";
import { createRepository, filesWith } from "../support/github.ts";
import { startJob } from "../support/job.ts";
import { mirrorsOf } from "../support/one-target.ts";
import { heartbeatOf } from "../support/serving.ts";
import { key, signedFields, signedHeartbeat } from "../support/signing.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { parseWorkflow, readWorkflow } from "../support/workflow.ts";

const repository = await createRepository(mirrorsOf([{ url: "https://git.example.org/a" }]));

describe.each(["refresh.yml", "refresh-sharded.yml"])("the job sign of %s", (file) => {
  const workflow = parseWorkflow(readWorkflow(file));

  /** Runs the step that signs the site. The downloaded site is packed as upload-pages-artifact packs it. */
  async function sign(
    secretKey: string,
    heartbeat: object = heartbeatOf([], { site_url: signedFields.feed }),
  ) {
    const values = { "secrets.MIRRORFEED_SIGNING_KEY": secretKey };
    const variables = { GITHUB_RUN_ATTEMPT: "2" };
    const job = await startJob(repository, workflow, "sign", { values, variables });
    const site = temporaryFolder();
    put(site, { "v1/report/index.json": JSON.stringify(heartbeat), "index.html": "<p>" });
    execFileSync("tar", ["-cf", join(job.temporary, "artifact.tar"), "-C", site, "."]);
    return { ...(await job.run("Sign the site")), job };
  }

  test("signs the site of the run, and leaves the key nowhere", async () => {
    const { job, ...run } = await sign(key.secretKey);
    expect(run, run.output).toMatchObject({
      result: "success",
      outputs: { artifact: "github-pages-signed-2" },
      commands: [],
    });
    const read = (name: string): string => readFileSync(join(job.workspace, "_site", name), "utf8");
    const signed = await verifySums(key.publicKey, read("SHA256SUMS"), read("SHA256SUMS.minisig"));
    expect(signed?.heartbeat).toEqual(signedHeartbeat);
    expect(read("index.html")).toBe("<p>");
    const secret = key.secretKey.split("\n")[1] ?? "";
    expect(run.output).not.toContain(secret);
    expect([job.workspace, job.temporary].flatMap((folder) => filesWith(secret, folder))).toEqual([]);
  });

  test("warns without the secret, and lets the site be deployed as it is", async () => {
    const { job, ...run } = await sign("");
    expect(run, run.output).toMatchObject({ result: "success", outputs: {} });
    const data: unknown = expect.stringContaining("no secret");
    expect(run.commands).toEqual([{ name: "warning", properties: "title=The feed is not signed", data }]);
    expect(existsSync(join(job.workspace, "_site"))).toBe(false);
  });

  test("fails for a wrong key or a site without a URL, so that nothing is deployed", async () => {
    expect(await sign(key.publicKey)).toMatchObject({ result: "failure", outputs: {} });
    expect(await sign(key.secretKey, heartbeatOf([]))).toMatchObject({ result: "failure", outputs: {} });
    expect(workflow.jobs["deploy"]).toMatchObject({
      if: expect.stringContaining(`contains(fromJSON('["success", "skipped"]'), needs.sign.result)`),
    });
  });
});
