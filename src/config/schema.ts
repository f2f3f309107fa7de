import * as z from "zod";
import { hasInvisible } from "../text/quote.ts";
import { nameProblem, nameLength, namePattern } from "../text/name.ts";
import { urlProblem } from "../text/url.ts";
import { defaultKind, kindNames, kindOptions, kindsText } from "../kinds/kinds.ts";
import { checkedText, label } from "./checked-text.ts";
import { channelsKey } from "./channels.ts";
import { contactKey, contactsKey, notifyKey } from "./notify.ts";
import { freshnessKey } from "./freshness-rule.ts";
import { site } from "./site.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";

const name = checkedText(nameProblem).meta({ pattern: namePattern, minLength: 1, maxLength: nameLength });
const url = checkedText(urlProblem).meta({ format: "uri", pattern: "^https?://" });
const expectedText = checkedText((text) => {
  if (text.trim() === "") return "is empty; write a text from the answer";
  if (text.length > 200) return "is longer than 200 characters; shorten it";
  return hasInvisible(text) ? "has control or invisible characters; write a text of one line" : undefined;
}).meta({ minLength: 1, maxLength: 200 });
export const id = z.int().min(1);
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { error: "must be a country of two letters (ISO 3166-1), such as DE" })
  .refine((text) => text.toUpperCase() !== "UK", { error: '"UK" is not in ISO 3166-1; write "GB"' })
  .transform((text) => text.toUpperCase());
export const timestamp = z.iso.datetime({
  error: "must be a timestamp in UTC; write it as 2026-01-31T08:00:00Z",
});

const settings = {
  kind: z.enum(kindNames).describe(kindsText()),
  timeoutMs: z
    .int()
    .min(100)
    .max(300_000)
    .describe("The time limit for all attempts of one node together, in milliseconds."),
  attempts: z.int().min(1).max(10).describe("How often a probe is tried before it counts as failed."),
  downAfter: z.int().min(1).max(100).describe("How many failed runs in a row make an online node offline."),
  upAfter: z.int().min(1).max(100).describe("How many successful runs in a row make an offline node online."),
};

const override = strict({
  kind: settings.kind.exactOptional(),
  timeoutMs: settings.timeoutMs.exactOptional(),
  attempts: settings.attempts.exactOptional(),
  ...kindOptions,
  downAfter: settings.downAfter.exactOptional(),
  upAfter: settings.upAfter.exactOptional(),
})
  .exactOptional()
  .describe("Probe settings that replace those of the level above.");

const node = strict({
  id: id.describe("Unique in the file, and never used again for another mirror: readers remember it."),
  name: label.exactOptional().describe("A label (default: host and path of the URL)."),
  url: url.describe("The full URL of the mirror."),
  country: country
    .exactOptional()
    .describe(
      "Where it is: two letters of ISO 3166-1, such as DE. Lists for a country begin with its mirrors.",
    ),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .exactOptional()
    .describe("Its share of what `pick --spread` draws among equally good mirrors (default: 1)."),
  contact: contactKey,
  probe: override,
  freshness: freshnessKey,
}).meta({ title: "network node" });

const target = strict({
  target: name,
  primary: id.exactOptional().describe("The id of the node that the others copy."),
  contact: contactKey,
  probe: override,
  freshness: freshnessKey,
  network: z.array(node).min(1),
}).meta({ title: "target" });

const project = strict({
  project: name,
  probe: override,
  freshness: freshnessKey,
  targets: z.array(target).min(1),
}).meta({
  title: "project",
});

const system = strict({ system: name, projects: z.array(project).min(1) }).meta({ title: "system" });

const control = z.union(
  [
    url,
    strict({
      url,
      text: expectedText.describe("A text that the answer must contain and the URL does not."),
    }),
  ],
  { error: 'must be a URL, or { "url": "http://…", "text": "a text from the answer" }' },
);

const probe = strict({
  kind: settings.kind.default(defaultKind),
  timeoutMs: settings.timeoutMs.default(10_000),
  attempts: settings.attempts.default(3),
  ...kindOptions,
  downAfter: settings.downAfter.default(1),
  upAfter: settings.upAfter.default(1),
  concurrency: z
    .int()
    .min(1)
    .max(10_000)
    .default(128)
    .describe(
      "How many nodes are probed at once. A node that is silent for 0.4 s no longer counts. At most eight times as many are probed.",
    ),
  perHost: z.int().min(1).max(1000).default(8).describe("The same limit for the nodes of one host and port."),
  control: z
    .array(control)
    .max(16)
    .default([])
    .describe(
      "URLs other than mirrors, requested in every run. An answer proves that the prober is online if it comes over HTTPS with a valid certificate, or if it contains the text. A redirect to another host proves nothing.",
    ),
  ca: z
    .array(z.string().min(1).max(4096))
    .max(16)
    .default([])
    .describe(
      "PEM files of certificate authorities to trust, relative to this file, beside those of Node.js and NODE_EXTRA_CA_CERTS. Used for mirrors and controls only: check, pick and verify read NODE_EXTRA_CA_CERTS.",
    ),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe("Whether loopback, private and link-local addresses may be probed."),
  maxRedirects: z
    .int()
    .min(0)
    .max(20)
    .default(20)
    .describe("How many redirects are followed within the time limit. Git follows 20."),
  maxBytes: z
    .int()
    .min(4096)
    .max(16_777_216)
    .default(65_536)
    .describe(
      "How many bytes of an answer are read. A repository with more refs counts as reachable if those that were read are valid.",
    ),
});

const maintenance = strict({
  at: z.union([z.string().min(1).max(500), id], {
    error: "must be a host, a path such as system/project/target, or the id of a node",
  }),
  from: timestamp,
  to: timestamp,
  reason: label,
});

/** The schema of mirrors.json: the system objects of the API without `status`, and the settings of a run. */
export const configSchema = strict({
  $schema: z.string().exactOptional(),
  systems: z.array(system).min(1),
  probe: probe.prefault({}),
  freshness: freshnessKey,
  site: site.prefault({}),
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
export type System = z.infer<typeof system>;
export type Project = z.infer<typeof project>;
export type Target = z.infer<typeof target>;
export type Control = z.infer<typeof control>;
export type Override = NonNullable<z.infer<typeof override>>;

/**
 * Returns the JSON schema of mirrors.json. `public/mirrors.schema.json` is in draft 7, which editors support best, and
 * `public/mirrors.2020-12.schema.json` in draft 2020-12.
 */
export function configJsonSchema(target: "draft-7" | "draft-2020-12" = "draft-7"): object {
  return z.toJSONSchema(configSchema, { io: "input", target });
}
