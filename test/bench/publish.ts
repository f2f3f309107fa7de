import { join } from "node:path";
import { type SiteFile } from "../../src/core/base/files/site-file.ts";
import { writeSite } from "../../src/core/site/write.ts";
import { measure, mirrorfeed, times, withFolder } from "./measure.ts";
import type { Row } from "./table.ts";

const files = 300;
const goal = 3000;

/** Git without the user's configuration. */
const environment = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** Publishes a site to a repository on the same disk: first all of it, then with 1 % of its files changed. */
export function publishRows(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const [out, config] = [join(folder, "site"), join(folder, "mirrors.json")];
    let round = 0;
    const publish = async (remote: string): Promise<number> => {
      round += 1;
      writeSite(out, siteFiles(round));
      const options = ["--out", out, "--remote", remote, "--config", config, "--replace"];
      return (await measure({ ...mirrorfeed("publish", ...options), environment })).wallMs;
    };
    const remoteOf = async (name: string): Promise<string> => {
      const remote = join(folder, `${name}.git`);
      await measure({ program: "git", args: ["init", "-q", "--bare", remote], environment });
      return remote;
    };
    const first = await times(5, async () => publish(await remoteOf(`first-${round}`)));
    const again = await remoteOf("again");
    await publish(again);
    const changed = await times(5, () => publish(again));
    return [
      { what: `publish ${files} files for the first time, wall`, unit: "seconds", own: first, goal },
      { what: `publish ${files} files, 1 % changed, wall`, unit: "seconds", own: changed, goal },
    ];
  });
}

function siteFiles(round: number): SiteFile[] {
  return Array.from({ length: files }, (_, index) => {
    const shown = index % 100 === 1 ? round : 0;
    const network = Array.from({ length: 4 }, (__, node) => ({ id: index * 4 + node, status: 1, shown }));
    const path = `v1/network/community/project/target-${index}/index.json`;
    return { path, content: `${JSON.stringify({ network })}\n` };
  });
}
