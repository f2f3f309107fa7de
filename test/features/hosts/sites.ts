import { feedWith } from "../../support/feed-with.ts";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { contentOf, type SiteFile } from "../../../src/core/base/files/site-file.ts";
import type { Host, HostInput } from "../../../src/features/hosts/host.ts";
import { nginx } from "../../../src/features/hosts/nginx.ts";
import { renderContract } from "../../../src/app/render-site.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import type { Status } from "../../../src/core/contract/network.ts";
import { feedConfig, feedStatuses, writeFiles } from "../../support/contract/feed.ts";
import { pageFiles } from "../../support/contract/pages.ts";
import { halfOnline, largeConfig } from "../../support/large-feed.ts";
import "../../support/worker-exit.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A site on disk. No engine may change it, because other engines serve it too. */
export interface Site extends HostInput {
  /** The absolute path of the site, which includes the host's files. */
  readonly root: string;
  /** The content of the site's files, by path. */
  readonly documents: ReadonlyMap<string, Buffer>;
}

/** A host's sites. Each site is rendered and written when it is first used. */
export interface Sites {
  readonly small: (basePath: string) => Site;
  readonly large: (targets: number) => Site;
}

/** Sites with many targets and without a host's files. All hosts that are tested in one process share them. */
const largeSites = new Map<number, Site>();

function largeSite(targets: number): Site {
  const known = largeSites.get(targets);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-site-"));
  process.once("exit", () => {
    // `rmSync` would throw and catch an error for each of thousands of folders.
    execFileSync("rm", ["-rf", folder]);
  });
  // A server that drops its privileges must still be able to read the site.
  chmodSync(folder, 0o755);
  const config = largeConfig(targets);
  // This site is written for nginx, because nginx adds no files to a site.
  const site = writeHostSite(nginx, config, halfOnline(config), "", join(folder, "site"));
  largeSites.set(targets, site);
  return site;
}

/** Returns a host's sites, and removes them after the suite. */
export function useSites(host: Host): Sites {
  const sites = new Map<string, Site>();
  const own: string[] = [];
  afterAll(() => {
    for (const file of own) rmSync(file);
  });
  const once = (name: string, make: () => Site): Site => {
    const site = sites.get(name) ?? make();
    sites.set(name, site);
    return site;
  };
  return {
    small: (basePath) =>
      once(`small ${basePath}`, () => {
        const folder = temporaryFolder("mirrorfeed-site-");
        chmodSync(folder, 0o755);
        return writeHostSite(host, feedConfig, feedStatuses, basePath, join(folder, "site"));
      }),
    large: (targets) =>
      once(`large ${targets}`, () => {
        const { root, documents, ...input } = largeSite(targets);
        const files = host.siteFiles(input);
        writeFiles(root, files);
        own.push(...files.map(({ path }) => join(root, path)));
        return { ...input, root, documents: new Map([...documents, ...contentsOf(files)]) };
      }),
  };
}

/** Writes a feed's contract documents, the host's files and the rest of the site. */
export function writeHostSite(
  host: Host,
  config: Config,
  statuses: ReadonlyMap<number, Status>,
  basePath: string,
  root: string,
): Site {
  const url = `https://status.example.org${basePath}`;
  const contract = renderContract(
    feedWith({ ...config, site: { ...config.site, host: host.name, url } }, statuses),
  );
  writeSite(root, contract);
  writeFiles(root, pageFiles);
  const documents = new Map(contentsOf([...contract, ...pageFiles]));
  return { root, documents, feed: config.systems, basePath };
}

function contentsOf(files: readonly SiteFile[]): [path: string, content: Buffer][] {
  return files.map((file) => [file.path, Buffer.from(contentOf(file))]);
}
