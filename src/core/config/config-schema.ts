import * as z from "../base/zod.ts";
import { channelsKey } from "./channels.ts";
import { contactKey, contactsKey, notifyKey } from "./notify-rules.ts";
import { freshnessKey, override, probe } from "./probe-keys.ts";
import { site } from "./site-settings.ts";
import { described } from "../kinds/kind.ts";
import { id, label, name, scope, timestamp, url } from "./values.ts";

const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { error: "must be a two-letter country code (ISO 3166-1), such as DE" })
  .refine((text) => text.toUpperCase() !== "UK", { error: '"UK" is not in ISO 3166-1; write "GB"' })
  // Set before the transform, because zod drops examples set after it.
  .meta({ title: "country", examples: ["DE"] })
  .transform((text) => text.toUpperCase());

const namesText = "a-z, 0-9, dots, _ and -. It becomes a folder of the site and part of its URLs.";

const node = z
  .strictObject({
    id: described(
      id,
      "Unique in the file. Never reuse a removed mirror's id: clients may still use it for that mirror.",
      5,
    ),
    name: described(
      label.exactOptional(),
      "The mirror's display name (default: host and path of the URL).",
      "Main server",
    ),
    url: described(
      url,
      "The mirror's full HTTP or HTTPS URL, without credentials. A target cannot have the same URL twice.",
      "https://git.example.org/jcb/packages",
    ),
    country: described(
      country.exactOptional(),
      "The mirror's two-letter country code (ISO 3166-1). Lists for a country begin with its mirrors.",
    ),
    weight: described(
      z.int().min(1).max(1_000_000).exactOptional(),
      "The mirror's weight when `pick --spread` chooses among equally good mirrors (default: 1).",
      3,
    ),
    contact: contactKey,
    probe: override,
    freshness: freshnessKey,
  })
  .meta({ title: "mirror" });

const target = z
  .strictObject({
    target: described(name, `The name of the target: ${namesText}`, "packages"),
    primary: described(
      id.exactOptional(),
      "The id of the mirror that the others copy. Their content is compared with the primary's.",
      1,
    ),
    contact: contactKey,
    probe: override,
    freshness: freshnessKey,
    network: described(z.array(node).min(1), "The mirrors of the target."),
  })
  .meta({ title: "target" });

const project = z
  .strictObject({
    project: described(name, `The name of the project: ${namesText}`, "jcb"),
    probe: override,
    freshness: freshnessKey,
    targets: described(z.array(target).min(1), "The targets of the project."),
  })
  .meta({ title: "project" });

const system = z
  .strictObject({
    system: described(name, `The name of the system: ${namesText}`, "community"),
    projects: described(z.array(project).min(1), "The projects of the system."),
  })
  .meta({ title: "system" });

const maintenance = z
  .strictObject({
    scope: described(
      scope,
      "The mirrors: a host (with its port if it is not the default), a path such as system/project or system/project/target, or a mirror's id.",
      "git.example.org",
    ),
    from: described(timestamp, "When the maintenance begins, in UTC.", "2026-01-31T08:00:00Z"),
    to: described(timestamp, "When the maintenance ends, in UTC.", "2026-01-31T10:00:00Z"),
    reason: described(label, "What is being done, as shown on the pages.", "Moving to new disks"),
  })
  .meta({ title: "maintenance" });

/** Schema for mirrors.json: the API's system objects without `status`, and the settings for runs. */
export const configSchema = z
  .strictObject({
    $schema: described(
      z.string().exactOptional(),
      "This file's JSON schema, for editors. mirrorfeed does not read it.",
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
      "Maintenance periods, in which mirrors keep their status.",
    ),
    notify: notifyKey,
    contacts: contactsKey,
    channels: channelsKey,
  })
  .meta({ title: "mirrors.json", description: "The mirrors that mirrorfeed probes, and how." });

export type Config = z.infer<typeof configSchema>;
export type Target = z.infer<typeof target>;
export type Control = Config["probe"]["controls"][number];
export type Override = NonNullable<z.infer<typeof override>>;

/** `public/mirrors.schema.json` uses draft 7, which editors support best. */
export function configJsonSchema(target: "draft-7" | "draft-2020-12" = "draft-7"): object {
  return z.toJSONSchema(configSchema, { io: "input", target });
}

export function configOfMirror(mirrorUrl: string, settings: Partial<Config["probe"]> = {}): Config {
  const targets = [{ target: "mirror", network: [{ id: 1, url: mirrorUrl }] }];
  const systems = [{ system: "mirror", projects: [{ project: "mirror", targets }] }];
  return configSchema.parse({ systems, probe: settings });
}

/** Sets `site.url`, unless the given URL is empty or the file already has one. */
export function withSiteUrl(config: Config, siteUrl = ""): Config {
  if (siteUrl === "" || config.site.url !== undefined) return config;
  return { ...config, site: { ...config.site, url: siteUrl } };
}

/** Returns the path the site is published at: empty, or with a leading slash and no trailing one. */
export function basePath({ site: { url: siteUrl } }: Pick<Config, "site">): string {
  return siteUrl === undefined ? "" : new URL(siteUrl).pathname.replace(/\/$/, "");
}
