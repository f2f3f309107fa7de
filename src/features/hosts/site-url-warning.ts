import { quote } from "../../core/base/text/quote.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { ConfigWarning } from "../../core/config/warnings.ts";
import { hostOf } from "./host-registry.ts";

/**
 * Warns if `site.url` is missing and the remote URL of the Git repository that contains mirrors.json suggests that the
 * site is below a path of its host. Pages work without `site.url`, but links that need the full URL do not.
 */
export function siteUrlWarning({ site }: Config, remote: string | undefined): ConfigWarning[] {
  if (site.url !== undefined || remote === undefined) return [];
  const url = hostOf(site.host).urlOfRemote?.(remote);
  if (url === undefined || new URL(url).pathname === "/") return [];
  const message =
    `is missing: unless you use --site-url, the site's URL is left out of change feeds, OpenAPI, link previews ` +
    `and the User-Agent; write ${quote(url)}, or the URL on your own domain`;
  return [{ code: "site_url", path: ["site", "url"], message }];
}
