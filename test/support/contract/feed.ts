import { feedWith } from "../feed-with.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { contentOf, type SiteFile } from "../../../src/core/base/files/site-file.ts";
import { renderContract } from "../../../src/app/render-site.ts";
import type { Status } from "../../../src/core/contract/network.ts";
import { put } from "../folder.ts";
import { documentCases, edgeCases } from "./cases.ts";

/**
 * A small feed with misleading names. Each line is a project with its targets and their nodes' statuses: `10` means one
 * online and one offline.
 */
const alpha = `main-tools t-two:101 t1:11 errors:00 v1:10 0:01 1:1 a.b_c:0
v1 network:10 main-tools:1`;
const beta = `alpha t1:0 constructor:1
0 0:0 1:1`;

const written = JSON.stringify({ systems: [systemOf("alpha", alpha, 1), systemOf("beta-2", beta, 101)] });

export const feedConfig = validateConfig(written, "feed.json");

/** All documents of this feed, and the edge cases of its first target. */
export const contractCases = [...documentCases(feedConfig.systems), ...edgeCases(feedConfig.systems)];

export const feedStatuses: ReadonlyMap<number, Status> = new Map(
  listNodes(feedConfig).map(({ id, url }) => [id, url.endsWith("/1") ? 1 : 0]),
);

export const feedFiles: readonly SiteFile[] = renderContract(feedWith(feedConfig, feedStatuses));

export const feedDocuments: ReadonlyMap<string, Buffer> = new Map(
  feedFiles.map((file) => [file.path, Buffer.from(contentOf(file))]),
);

export function writeFiles(folder: string, files: readonly SiteFile[]): void {
  put(folder, Object.fromEntries(files.map((file) => [file.path, contentOf(file)])));
}

function systemOf(system: string, lines: string, firstId: number): object {
  let id = firstId;
  const projects = lines.split("\n").map((line) => {
    const [project, ...targets] = line.split(" ");
    return {
      project,
      targets: targets.map((text) => {
        const [target, statuses = ""] = text.split(":");
        const network = Array.from(statuses, (status, place) => ({
          id: id++,
          ...(place === 0 && { name: `The first mirror of “${target}” <${project}>` }),
          url: `https://mirror-${place}.example.org/${system}/${project}/${target}/${status}`,
        }));
        return { target, network };
      }),
    };
  });
  return { system, projects };
}
