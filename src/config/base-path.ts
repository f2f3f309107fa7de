import type { Config } from "./schema.ts";

/** Returns the configuration with this URL as its `site.url`, unless the URL is empty or the file names one. */
export function withSiteUrl(config: Config, url = ""): Config {
  if (url === "" || config.site.url !== undefined) return config;
  return { ...config, site: { ...config.site, url } };
}

/** Returns the path that the site is published at: empty, or with a slash at its start and none at its end. */
export function basePath({ site }: Pick<Config, "site">): string {
  return site.url === undefined ? "" : new URL(site.url).pathname.replace(/\/$/, "");
}
