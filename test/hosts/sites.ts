import { feedWith } from "../support/feed-with.ts";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Config } from "../../src/config/schema.ts";
import type { SiteFile } from "../../src/files/site-file.ts";
import type { HostInput } from "../../src/hosts/host.ts";
import type { RegisteredHost } from "../../src/hosts/registry.ts";
import { renderContract } from "../../src/pipeline/render-site.ts";
import { writeSite } from "../../src/site/write.ts";
import type { Status } from "../../src/state/verdict.ts";
import { feedConfig, feedStatuses, writeFiles } from "../support/contract/feed.ts";
import { pageFiles } from "../support/contract/pages.ts";
import { halfOnline, largeConfig } from "../support/large-feed.ts";
import { makeScratchFolder, removeScratchFolder } from "../support/scratch-folder.ts";

/** A site on disk. No engine may change it, because others serve it too. */
export interface Site extends HostInput {
  /** The absolute path of the site, files of the host included. */
  readonly root: string;
  /** What the files of the site hold, by their paths. */
  readonly documents: ReadonlyMap<string, Buffer>;
}

/** The sites of a host, each rendered and written when it is first asked for. */
export interface Sites {
  readonly small: (basePath: string) => Site;
  readonly large: (targets: number) => Site;
}

/** Gives the sites of a host to the suite that calls this, and removes them after it. */
export function useSites(host: RegisteredHost): Sites {
  const sites = new Map<string, Site>();
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) removeScratchFolder(folder);
  });
  const once = (name: string, write: (folder: string) => Site): Site => {
    const known = sites.get(name);
    if (known !== undefined) return known;
    const folder = makeScratchFolder("mirrorfeed-site-");
    folders.push(folder);
    // Servers that give up their rights must still reach the site.
    chmodSync(folder, 0o755);
    const site = write(join(folder, "site"));
    sites.set(name, site);
    return site;
  };
  return {
    small: (basePath) =>
      once(`small ${basePath}`, (root) => writeHostSite(host, feedConfig, feedStatuses, basePath, root)),
    large: (targets) =>
      once(`large ${targets}`, (root) => {
        const config = largeConfig(targets);
        return writeHostSite(host, config, halfOnline(config), "", root);
      }),
  };
}

/** Writes the contract of a feed as a host serves it, and what a site has beside the contract. */
export function writeHostSite(
  host: RegisteredHost,
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
  const files: readonly SiteFile[] = [...contract, ...pageFiles];
  const documents = new Map(files.map(({ path, content }) => [path, Buffer.from(content)]));
  return { root, documents, feed: config.systems, basePath };
}
