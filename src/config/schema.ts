import * as z from "zod";
import { hasInvisible } from "../quote.ts";
import { siteUrlFault } from "./base-path.ts";
import { nameFault, nameLength, namePattern } from "./name.ts";
import { urlFault } from "./url.ts";

/** The hosts a site can be written for. */
export const hostNames = [
  "github-pages",
  "nginx",
  "apache",
  "caddy",
  "lighttpd",
  "cloudflare",
  "netlify",
  "vercel",
  "cloudfront",
] as const;

export type HostName = (typeof hostNames)[number];

function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `is not a known key; known here: ${known}` : undefined,
  });
}

function checked(fault: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = fault(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

const name = checked(nameFault).meta({ pattern: namePattern, minLength: 1, maxLength: nameLength });
const url = checked(urlFault).meta({ format: "uri", pattern: "^https?://" });
const label = checked((text) => {
  if (text.trim() === "") return "is empty; remove it to have host and path, or fill it";
  if (text.length > 200) return "is longer than 200 characters; shorten it";
  return hasInvisible(text) ? "holds control or invisible characters; remove them" : undefined;
}).meta({ minLength: 1, maxLength: 200 });
const id = z.int().min(1);
const httpStatus = z.int().min(100).max(599);
const moment = z.iso.datetime({ error: "must be a moment in UTC; write it as 2026-01-31T08:00:00Z" });

const settings = {
  kind: z
    .enum(["git", "http"])
    .describe("git: the smart-HTTP advertisement must parse. http: a GET must answer as expected."),
  timeoutMs: z
    .int()
    .min(100)
    .max(300_000)
    .describe("The one deadline of a node, for all its attempts, in milliseconds."),
  attempts: z.int().min(1).max(10).describe("How often a node is asked before it counts as failed."),
  expectStatus: z
    .union([httpStatus, z.array(httpStatus).min(1).max(50)], {
      error: "must be an HTTP status such as 200, or a list of them",
    })
    .describe("Kind http: the statuses that count as reachable; 200 to 299 where it is left out."),
  downAfter: z.int().min(1).max(100).describe("How many failed runs in a row turn an online node offline."),
  upAfter: z.int().min(1).max(100).describe("How many good runs in a row turn an offline node online."),
};

const override = strict({
  kind: settings.kind.exactOptional(),
  timeoutMs: settings.timeoutMs.exactOptional(),
  attempts: settings.attempts.exactOptional(),
  expectStatus: settings.expectStatus.exactOptional(),
  downAfter: settings.downAfter.exactOptional(),
  upAfter: settings.upAfter.exactOptional(),
})
  .exactOptional()
  .describe("What differs here from the probe settings of the level above.");

const node = strict({
  id: id.describe("Unique in the file, and for ever: readers remember it."),
  name: label.exactOptional().describe("A label; host and path of the url where it is left out."),
  url: url.describe("The full url of the mirror."),
  probe: override,
}).meta({ title: "network node" });

const target = strict({
  target: name,
  primary: id.exactOptional().describe("The id of the node the others are mirrors of."),
  probe: override,
  network: z.array(node).min(1),
}).meta({ title: "target" });

const project = strict({ project: name, probe: override, targets: z.array(target).min(1) }).meta({
  title: "project",
});

const system = strict({ system: name, projects: z.array(project).min(1) }).meta({ title: "system" });

const probe = strict({
  kind: settings.kind.default("git"),
  timeoutMs: settings.timeoutMs.default(10_000),
  attempts: settings.attempts.default(3),
  expectStatus: settings.expectStatus.exactOptional(),
  downAfter: settings.downAfter.default(1),
  upAfter: settings.upAfter.default(1),
  concurrency: z
    .int()
    .min(1)
    .max(10_000)
    .default(128)
    .describe(
      "How many nodes are probed at once. One that has been silent for 0.4 s no longer counts, up to eight times as many.",
    ),
  perHost: z
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe("How many nodes of one host and port are probed at once, counted in the same way."),
  control: z
    .array(url)
    .max(16)
    .default([])
    .describe("Urls asked in every run that are no mirrors: an answer proves that the prober is online."),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe("Whether loopback, private and link-local addresses may be probed."),
  maxRedirects: z.int().min(0).max(20).default(5),
  maxBytes: z.int().min(4096).max(16_777_216).default(65_536).describe("How much of an answer is read."),
});

const site = strict({
  title: label.default("Mirror status"),
  url: checked(siteUrlFault)
    .meta({ format: "uri", pattern: "^https?://" })
    .exactOptional()
    .describe("Where the site is published, with its path."),
  intervalMinutes: z.int().min(1).max(10_080).default(30).describe("How often a run is scheduled."),
  host: z.enum(hostNames).default("github-pages").describe("The static host the site is written for."),
});

const maintenance = strict({
  at: z.union([z.string().min(1).max(500), id], {
    error: "must be a host, a path such as system/project/target, or the id of a node",
  }),
  from: moment,
  to: moment,
  reason: label,
});

/** mirrors.json: the system objects of the API without `status`, and the settings of a run. */
export const configSchema = strict({
  $schema: z.string().exactOptional(),
  systems: z.array(system).min(1),
  probe: probe.prefault({}),
  site: site.prefault({}),
  maintenance: z
    .array(maintenance)
    .max(1000)
    .default([])
    .describe("Times in which a verdict is kept as it was."),
}).meta({ title: "mirrors.json", description: "The mirrors that mirrorfeed probes, and how." });

export type Config = z.infer<typeof configSchema>;
export type System = z.infer<typeof system>;
export type Project = z.infer<typeof project>;
export type Target = z.infer<typeof target>;
export type Override = NonNullable<z.infer<typeof override>>;

/** The JSON schema (draft 7, which editors read best) of mirrors.json, for `public/mirrors.schema.json`. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
}
