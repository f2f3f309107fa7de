import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import { put } from "../support/folder.ts";
import { git } from "../support/git.ts";
import { runInProcess } from "../support/in-process.ts";
import { mirrorsOf } from "../support/one-target.ts";
import { startTestbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const testbed = await startTestbed();
test("what is imported is what a pull request adds: it is probed once, and then it is known", async () => {
  const [mirror, site, gone] = [
    await testbed.startServer(advertisement()),
    await testbed.startServer(misbehaviours.json()),
    await testbed.startServer(misbehaviours.notFound()),
  ];
  const folder = temporaryFolder();
  const gatus = `endpoints:
  - { name: site, group: web, url: "${site.url}/health" }
  - { name: gone, group: web, url: "${gone.url}/" }
  - { name: port, url: "tcp://127.0.0.1:1" }
`;
  put(folder, { "mirrors.json": mirrorsOf([{ url: `${mirror.url}/a` }]), "gatus.yaml": gatus });
  const inFolder = (...parameters: string[]): Promise<string> => git(["-C", folder, ...parameters]);
  const commit = async (): Promise<void> => {
    await inFolder("add", "mirrors.json");
    await inFolder(
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.org",
      "commit",
      "--quiet",
      "-m",
      "Mirrors",
    );
  };
  const mirrorfeed = (...parameters: string[]) => runInProcess(parameters, { folder });
  const importing = ["import", "gatus.yaml", "--to", "community/web/sites"];
  const probing = ["validate", "--probe-new", "HEAD", "--allow-private"];
  await inFolder("init", "--quiet");
  await commit();

  const imported = await mirrorfeed(...importing);
  expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining("gatus.yaml line 4: left out") });
  expect(imported.stdout).toBe(
    [
      `+ 2 ${site.url}/health web/site`,
      `+ 3 ${gone.url}/ web/gone`,
      "community/web/sites: 2 added, 0 known.",
      "New: project, target. Its mirrors are probed as http.",
      "",
    ].join("\n"),
  );
  const text = readFileSync(join(folder, "mirrors.json"), "utf8");

  const probed = await mirrorfeed(...probing);
  expect(probed).toMatchObject({ code: 1, stderr: "" });
  expect(probed.stdout).toMatch(
    /community\/web\/sites\n {2}web\/site +ok .*\n {2}web\/gone +http_status .*\(HTTP 404\)\n2 nodes probed, 1 reachable\.\n$/,
  );
  expect(mirror.connections).toBe(0);

  expect((await mirrorfeed(...importing)).stdout).toBe("community/web/sites: 0 added, 2 known.\n");
  expect(readFileSync(join(folder, "mirrors.json"), "utf8")).toBe(text);
  await commit();
  expect((await mirrorfeed(...probing)).stdout).toMatch(/\nNo mirror is new, so none was probed\.\n$/);
});
