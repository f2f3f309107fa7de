import * as z from "zod";
import { nameProblem, nameLength, namePattern } from "../base/text/name.ts";
import { checkedText, label } from "./checked-text.ts";
import { channelsKey } from "./channels.ts";
import { contactKey, contactsKey, notifyKey } from "./notify.ts";
import { freshnessKey } from "./freshness-rule.ts";
import { override, probe, url } from "./probe-keys.ts";
import { site } from "./site.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";

const name = checkedText(nameProblem).meta({
  title: "name",
  pattern: namePattern,
  minLength: 1,
  maxLength: nameLength,
});
export const id = z.int().min(1);
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { error: "must be a country of two letters (ISO 3166-1), such as DE" })
  .refine((text) => text.toUpperCase() !== "UK", { error: '"UK" is not in ISO 3166-1; write "GB"' })
  // A transformation drops examples that come after it.
  .meta({ title: "country", examples: ["DE"] })
  .transform((text) => text.toUpperCase());
export const timestamp = z.iso
  .datetime({ error: "must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z" })
  .meta({ title: "timestamp" });

const namesText = "a-z, 0-9, dots, _ and -. It is a folder of the site and a part of its URLs.";

const node = strict({
  id: id
    .describe("Unique in the file, and never used again for another mirror: readers remember it.")
    .meta({ examples: [5] }),
  name: label
    .exactOptional()
    .describe("A label for people (default: host and path of the URL).")
    .meta({ examples: ["Main server"] }),
  url: url
    .describe(
      "The full URL of the mirror, by HTTP or HTTPS, without credentials. A target has each URL only once.",
    )
    .meta({ examples: ["https://git.example.org/jcb/packages"] }),
  country: country
    .exactOptional()
    .describe(
      "Where it is: two letters of ISO 3166-1. Lists for a country begin with its mirrors. Not inherited.",
    ),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .exactOptional()
    .describe("Its share of what `pick --spread` draws among equally good mirrors (default: 1).")
    .meta({ examples: [3] }),
  contact: contactKey,
  probe: override,
  freshness: freshnessKey,
}).meta({ title: "network node" });

const target = strict({
  target: name.describe(`The name of the target: ${namesText}`).meta({ examples: ["packages"] }),
  primary: id
    .exactOptional()
    .describe("The id of the node that the others copy: it is the reference of freshness.")
    .meta({ examples: [1] }),
  contact: contactKey,
  probe: override,
  freshness: freshnessKey,
  network: z.array(node).min(1).describe("The mirrors of the target."),
}).meta({ title: "target" });

const project = strict({
  project: name.describe(`The name of the project: ${namesText}`).meta({ examples: ["jcb"] }),
  probe: override,
  freshness: freshnessKey,
  targets: z.array(target).min(1).describe("The targets of the project."),
}).meta({ title: "project" });

const system = strict({
  system: name.describe(`The name of the system: ${namesText}`).meta({ examples: ["community"] }),
  projects: z.array(project).min(1).describe("The projects of the system."),
}).meta({ title: "system" });

const maintenance = strict({
  scope: z
    .union([z.string().min(1).max(500), id], {
      error: "must be a host, a path such as system/project/target, or the id of a node",
    })
    .describe(
      "The mirrors: a host (with its port, if that is not the usual one), a path such as system/project or system/project/target, or the id of a node.",
    )
    .meta({ examples: ["git.example.org"] }),
  from: timestamp.describe("When it begins, in UTC.").meta({ examples: ["2026-01-31T08:00:00Z"] }),
  to: timestamp.describe("When it ends, in UTC.").meta({ examples: ["2026-01-31T10:00:00Z"] }),
  reason: label.describe("What is done, for the pages.").meta({ examples: ["Moving to new disks"] }),
}).meta({ title: "maintenance" });

/** The schema of mirrors.json: the system objects of the API without `status`, and the settings of a run. */
export const configSchema = strict({
  $schema: z
    .string()
    .exactOptional()
    .describe("The schema of this file, for editors. mirrorfeed does not read it.")
    .meta({ examples: ["./public/mirrors.schema.json"] }),
  systems: z.array(system).min(1).describe("The systems, with their projects, targets and mirrors."),
  probe: probe
    .prefault({})
    .describe("How mirrors are probed.")
    .meta({ examples: [{ kind: "http", timeout: "20s" }] }),
  freshness: freshnessKey,
  site: site
    .prefault({})
    .describe("Where the site is published, and how its pages look.")
    .meta({ examples: [{ host: "nginx", interval: "15m" }] }),
  maintenance: z
    .array(maintenance)
    .max(1000)
    .default([])
    .describe("Intervals in which mirrors keep their verdict."),
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
