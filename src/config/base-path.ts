import type { Config } from "./schema.ts";

/** Returns the configuration with this URL, unless it is empty, as its `site.url`, unless it names one itself. */
export function withSiteUrl(config: Config, url = ""): Config {
  if (url === "" || config.site.url !== undefined) return config;
  return { ...config, site: { ...config.site, url } };
}

/** The path the site is mounted at: empty, or with a slash at its start and none at its end. */
export function basePath({ site }: Pick<Config, "site">): string {
  return site.url === undefined ? "" : new URL(site.url).pathname.replace(/\/$/, "");
}
