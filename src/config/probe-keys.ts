import * as z from "zod";
import { hasInvisible } from "../base/text/quote.ts";
import { contentCodeNames } from "../kinds/mirror-content.ts";
import { defaultKind, kindNames, kindOptions, kindsText } from "../kinds/kinds.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { checkedText, described, durationKey, url } from "./values.ts";

const expectedText = checkedText((text) => {
  if (text.trim() === "") return "is empty; write a text from the answer";
  if (text.length > 200) return "is longer than 200 characters; shorten it";
  return hasInvisible(text) ? "has control or invisible characters; write a text of one line" : undefined;
}).meta({ minLength: 1, maxLength: 200 });

const threshold = z.int().min(1).max(100);

const settings = {
  kind: described(
    z.enum(kindNames),
    `What the mirrors are, which decides when one is reachable. ${kindsText()}`,
    "http",
  ),
  timeout: described(
    durationKey("100ms", "5m"),
    "The time limit for all attempts of one node together.",
    "20s",
  ),
  attempts: described(z.int().min(1).max(10), "How often a probe is tried before it counts as failed.", 2),
  failureThreshold: described(threshold, "How many failed runs in a row make an online node offline.", 2),
  successThreshold: described(
    threshold,
    "How many successful runs in a row make an offline node online. One is enough if its target would have no reachable node.",
    3,
  ),
};

/** The schema of `probe` of a project, a target or a node. */
export const override = described(
  strict({
    kind: settings.kind.exactOptional(),
    timeout: settings.timeout.exactOptional(),
    attempts: settings.attempts.exactOptional(),
    ...kindOptions,
    failureThreshold: settings.failureThreshold.exactOptional(),
    successThreshold: settings.successThreshold.exactOptional(),
  }).exactOptional(),
  "Probe settings that replace those of the level above.",
  { timeout: "20s" },
);

const control = z
  .union(
    [
      url,
      strict({
        url: described(
          url,
          "The URL of the control. It needs a text only over plain HTTP.",
          "http://connectivity.example.org/",
        ),
        text: described(expectedText, "A text that the answer must contain and the URL must not.", "success"),
      }),
    ],
    { error: 'must be a URL, or { "url": "http://…", "text": "a text from the answer" }' },
  )
  .meta({ title: "control" });

export const probe = strict({
  kind: settings.kind.default(defaultKind),
  timeout: settings.timeout.default("10s"),
  attempts: settings.attempts.default(3),
  ...kindOptions,
  failureThreshold: settings.failureThreshold.default(1),
  successThreshold: settings.successThreshold.default(1),
  concurrency: described(
    z.int().min(1).max(10_000).default(128),
    "How many nodes are probed at once. A node that has been silent for 0.4 s is not counted, but no more than eight times this number are ever probed at once.",
    32,
  ),
  perHost: described(
    z.int().min(1).max(1000).default(8),
    "How many nodes of one host and port are probed at once, counted as for `concurrency`.",
    2,
  ),
  controls: described(
    z.array(control).max(16).default([]),
    "URLs other than mirrors, requested in every run. An answer proves that the prober is online if it comes over HTTPS with a valid certificate, or if it contains the text. A redirect to another host proves nothing.",
    ["https://example.org/"],
  ),
  ca: described(
    z
      .array(z.string().min(1).max(4096).meta({ title: "path" }))
      .max(16)
      .default([]),
    "PEM files of certificate authorities to trust, relative to this file, in addition to those of Node.js and NODE_EXTRA_CA_CERTS. They are used for mirrors, controls and notifications; check, pick and verify use NODE_EXTRA_CA_CERTS only.",
    ["ca/company.pem"],
  ),
  allowPrivate: described(
    z.boolean().default(false),
    "Whether loopback, private and link-local addresses may be probed.",
    true,
  ),
  maxRedirects: described(
    z.int().min(0).max(20).default(20),
    "How many redirects are followed within the time limit. Git follows 20.",
    5,
  ),
  maxBytes: described(
    z.int().min(4096).max(16_777_216).default(65_536),
    "How many bytes of an answer are read. A repository with more refs counts as reachable if those that were read are valid.",
    1_048_576,
  ),
});

/** The schema of `freshness` of a level. Each of its keys replaces that of the level above. */
export const freshnessKey = described(
  strict({
    offlineAfter: described(
      durationKey(),
      "How long the content of a node must have been behind, different or wrong, such as 30m, 24h or 7d.",
      "24h",
    ).exactOptional(),
    states: described(
      z.array(z.enum(["behind", "differs"])).max(2),
      "The freshness that takes a node offline (default: both).",
      ["behind"],
    ).exactOptional(),
    codes: described(
      z.array(z.enum(contentCodeNames)).max(10),
      "The content codes that take a node offline (default: none).",
      ["missing_file", "expired"],
    ).exactOptional(),
  }).exactOptional(),
  "Which content takes a reachable node offline. Without offlineAfter, none does. A target's last reachable node stays online, and a primary whose content no other node has takes none offline.",
  { offlineAfter: "24h" },
);
