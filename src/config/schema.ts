import * as z from "zod";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { channelsKey, contactKey, contactsKey, notifyKey } from "./notify.ts";
import { freshnessKey, override, probe } from "./probe-keys.ts";
import { site } from "./site.ts";
import { described, id, label, name, scope, timestamp, url } from "./values.ts";

const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { error: "must be a country of two letters (ISO 3166-1), such as DE" })
  .refine((text) => text.toUpperCase() !== "UK", { error: '"UK" is not in ISO 3166-1; write "GB"' })
  // A transformation drops examples that come after it.
  .meta({ title: "country", examples: ["DE"] })
  .transform((text) => text.toUpperCase());

const namesText = "a-z, 0-9, dots, _ and -. It becomes a folder of the site and part of its URLs.";

const node = strict({
  id: described(id, "Unique in the file, and never used again for another mirror: readers remember it.", 5),
  name: described(
    label.exactOptional(),
    "A label for people (default: host and path of the URL).",
    "Main server",
  ),
  url: described(
    url,
    "The mirror's full HTTP or HTTPS URL, without credentials. A target cannot have a URL twice.",
    "https://git.example.org/jcb/packages",
  ),
  country: described(
    country.exactOptional(),
    "Its country, as two letters of ISO 3166-1. Lists for a country begin with its mirrors. Not inherited.",
  ),
  weight: described(
    z.int().min(1).max(1_000_000).exactOptional(),
    "Its weight when `pick --spread` chooses among equally good mirrors (default: 1).",
    3,
  ),
  contact: contactKey,
  probe: override,
  freshness: freshnessKey,
}).meta({ title: "network node" });

const target = strict({
  target: described(name, `The name of the target: ${namesText}`, "packages"),
  primary: described(
    id.exactOptional(),
    "The id of the node that the others copy, and whose content they are compared with.",
    1,
  ),
  contact: contactKey,
  probe: override,
  freshness: freshnessKey,
  network: described(z.array(node).min(1), "The mirrors of the target."),
}).meta({ title: "target" });

const project = strict({
  project: described(name, `The name of the project: ${namesText}`, "jcb"),
  probe: override,
  freshness: freshnessKey,
  targets: described(z.array(target).min(1), "The targets of the project."),
}).meta({ title: "project" });

const system = strict({
  system: described(name, `The name of the system: ${namesText}`, "community"),
  projects: described(z.array(project).min(1), "The projects of the system."),
}).meta({ title: "system" });

const maintenance = strict({
  scope: described(
    scope,
    "The mirrors: a host (with its port, if that is not the usual one), a path such as system/project or system/project/target, or the id of a node.",
    "git.example.org",
  ),
  from: described(timestamp, "When it begins, in UTC.", "2026-01-31T08:00:00Z"),
  to: described(timestamp, "When it ends, in UTC.", "2026-01-31T10:00:00Z"),
  reason: described(label, "What is being done, as shown on the pages.", "Moving to new disks"),
}).meta({ title: "maintenance" });

/** The schema of mirrors.json: the system objects of the API without `status`, and the settings of a run. */
export const configSchema = strict({
  $schema: described(
    z.string().exactOptional(),
    "The schema of this file, for editors. mirrorfeed does not read it.",
    "./public/mirrors.schema.json",
  ),
  systems: described(z.array(system).min(1), "The systems, with their projects, targets and mirrors."),
  probe: described(probe.prefault({}), "How mirrors are probed.", { kind: "http", timeout: "20s" }),
  freshness: freshnessKey,
  site: described(site.prefault({}), "Where the site is published, and how its pages look.", {
    host: "nginx",
    interval: "15m",
  }),
  maintenance: described(
    z.array(maintenance).max(1000).default([]),
    "Periods in which mirrors keep their status.",
  ),
  notify: notifyKey,
  contacts: contactsKey,
  channels: channelsKey,
}).meta({ title: "mirrors.json", description: "The mirrors that mirrorfeed probes, and how." });

export type Config = z.infer<typeof configSchema>;
export type Project = z.infer<typeof project>;
export type Target = z.infer<typeof target>;
export type Control = Config["probe"]["controls"][number];
export type Override = NonNullable<z.infer<typeof override>>;

/**
 * Returns the JSON schema of mirrors.json. `public/mirrors.schema.json` is in draft 7, which editors support best, and
 * `public/mirrors.2020-12.schema.json` in draft 2020-12.
 */
export function configJsonSchema(target: "draft-7" | "draft-2020-12" = "draft-7"): object {
  return z.toJSONSchema(configSchema, { io: "input", target });
}

/** Returns the configuration of one mirror, with the default of each setting that `probe` leaves out. */
export function configOfMirror(mirrorUrl: string, settings: Partial<Config["probe"]> = {}): Config {
  const targets = [{ target: "mirror", network: [{ id: 1, url: mirrorUrl }] }];
  const systems = [{ system: "mirror", projects: [{ project: "mirror", targets }] }];
  return configSchema.parse({ systems, probe: settings });
}

/** Returns the configuration with this URL as its `site.url`, unless the URL is empty or the file names one. */
export function withSiteUrl(config: Config, siteUrl = ""): Config {
  if (siteUrl === "" || config.site.url !== undefined) return config;
  return { ...config, site: { ...config.site, url: siteUrl } };
}

/** Returns the path that the site is published at: empty, or with a slash at its start and none at its end. */
export function basePath({ site: { url: siteUrl } }: Pick<Config, "site">): string {
  return siteUrl === undefined ? "" : new URL(siteUrl).pathname.replace(/\/$/, "");
}
