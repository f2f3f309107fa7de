import type { Config } from "../config/schema.ts";
import type { Status } from "../state/verdict.ts";
import { renderErrors } from "./errors.ts";
import type { SiteFile } from "../site-file.ts";
import { renderNetwork } from "./network.ts";

/** Every file of the site that mirrorfeed makes; what is copied from `public/` comes on top. */
export function renderSite(config: Config, statuses: ReadonlyMap<number, Status>): SiteFile[] {
  return [...renderNetwork(config, statuses), ...renderErrors()];
}
