import * as z from "zod";
import { hasInvisible } from "../text/quote.ts";
import { nameProblem, nameLength, namePattern } from "../text/name.ts";
import { urlProblem } from "../text/url.ts";
import { siteUrlProblem } from "../text/url.ts";
import { defaultHost, hostNames, slashlessHosts } from "../hosts/registry.ts";
import { defaultKind, kindNames, kindOptions, kindsText } from "../kinds/kinds.ts";

function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `is not a known key; known here: ${known}` : undefined,
  });
}

function checked(problem: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

const name = checked(nameProblem).meta({ pattern: namePattern, minLength: 1, maxLength: nameLength });
const url = checked(urlProblem).meta({ format: "uri", pattern: "^https?://" });
const label = checked((text) => {
  if (text.trim() === "") return "is empty; remove it to have host and path, or fill it";
  if (text.length > 200) return "is longer than 200 characters; shorten it";
  return hasInvisible(text) ? "holds control or invisible characters; remove them" : undefined;
}).meta({ minLength: 1, maxLength: 200 });
const proof = checked((text) => {
  if (text.trim() === "") return "is empty; write a text that the answer holds";
  if (text.length > 200) return "is longer than 200 characters; shorten it";
  return hasInvisible(text) ? "holds control or invisible characters; write a text of one line" : undefined;
}).meta({ minLength: 1, maxLength: 200 });
const id = z.int().min(1);
const timestamp = z.iso.datetime({ error: "must be a moment in UTC; write it as 2026-01-31T08:00:00Z" });

const settings = {
  kind: z.enum(kindNames).describe(kindsText()),
  timeoutMs: z
    .int()
    .min(100)
    .max(300_000)
    .describe("The one deadline of a node, for all its attempts, in milliseconds."),
  attempts: z.int().min(1).max(10).describe("How often a node is asked before it counts as failed."),
  downAfter: z.int().min(1).max(100).describe("How many failed runs in a row turn an online node offline."),
  upAfter: z.int().min(1).max(100).describe("How many good runs in a row turn an offline node online."),
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

const control = z.union(
  [
    url,
    strict({
      url,
      text: proof.describe("A text that the answer must hold, and that does not stand in the url."),
    }),
  ],
  { error: 'must be a url, or { "url": "http://…", "text": "a text that the answer holds" }' },
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
      "How many nodes are probed at once. One that has been silent for 0.4 s no longer counts, up to eight times as many.",
    ),
  perHost: z
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe("How many nodes of one host and port are probed at once, counted in the same way."),
  control: z
    .array(control)
    .max(16)
    .default([])
    .describe(
      "URLs that are not mirrors and are asked in every run. An answer proves that the prober is online if it comes over https with a valid certificate, or holds the text. A redirect to another host never does.",
    ),
  ca: z
    .array(z.string().min(1).max(4096))
    .max(16)
    .default([])
    .describe(
      "PEM files of certificate authorities that are trusted beside those of Node.js and of NODE_EXTRA_CA_CERTS, relative to this file. They count for mirrors and controls; check, pick and verify take NODE_EXTRA_CA_CERTS.",
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
    .describe("How many redirects are followed, each within the deadline. Git follows 20."),
  maxBytes: z
    .int()
    .min(4096)
    .max(16_777_216)
    .default(65_536)
    .describe(
      "How much of an answer is read. A repository with more refs is reachable as far as it was read.",
    ),
});

const site = strict({
  title: label.default("Mirror status"),
  url: checked(siteUrlProblem)
    .meta({ format: "uri", pattern: "^https?://" })
    .exactOptional()
    .describe("Where the site is published, with its path."),
  intervalMinutes: z.int().min(1).max(10_080).default(30).describe("How often a run is scheduled."),
  host: z.enum(hostNames).default(defaultHost.name).describe("The static host the site is written for."),
  slashless: z
    .boolean()
    .default(false)
    .describe(
      `Host ${slashlessHosts.join(", ")}: whether paths of the contract without their slash answer as text/html instead of redirecting.`,
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
export type Control = z.infer<typeof control>;
export type Override = NonNullable<z.infer<typeof override>>;

/**
 * Returns the JSON schema of mirrors.json: `public/mirrors.schema.json` in draft 7, which editors read best, and
 * `public/mirrors.2020-12.schema.json` for tools that read the newer draft.
 */
export function configJsonSchema(target: "draft-7" | "draft-2020-12" = "draft-7"): object {
  return z.toJSONSchema(configSchema, { io: "input", target });
}
