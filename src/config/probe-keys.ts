import * as z from "zod";
import { hasInvisible } from "../base/text/quote.ts";
import { urlProblem } from "../base/text/url.ts";
import { defaultKind, kindNames, kindOptions, kindsText } from "../kinds/kinds.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { checkedText } from "./checked-text.ts";
import { durationKey } from "./duration-key.ts";

/** The schema of the URL of a mirror or a control. */
export const url = checkedText(urlProblem).meta({ title: "URL", format: "uri", pattern: "^https?://" });

const expectedText = checkedText((text) => {
  if (text.trim() === "") return "is empty; write a text from the answer";
  if (text.length > 200) return "is longer than 200 characters; shorten it";
  return hasInvisible(text) ? "has control or invisible characters; write a text of one line" : undefined;
}).meta({ minLength: 1, maxLength: 200 });

const settings = {
  kind: z
    .enum(kindNames)
    .describe(`What the mirrors are, and so when one is reachable. ${kindsText()}`)
    .meta({ examples: ["http"] }),
  timeout: durationKey("100ms", "5m")
    .describe("The time limit for all attempts of one node together.")
    .meta({ examples: ["20s"] }),
  attempts: z
    .int()
    .min(1)
    .max(10)
    .describe("How often a probe is tried before it counts as failed.")
    .meta({ examples: [2] }),
  failureThreshold: z
    .int()
    .min(1)
    .max(100)
    .describe("How many failed runs in a row make an online node offline.")
    .meta({ examples: [2] }),
  successThreshold: z
    .int()
    .min(1)
    .max(100)
    .describe("How many successful runs in a row make an offline node online.")
    .meta({ examples: [3] }),
};

/** The schema of `probe` of a project, a target or a node. */
export const override = strict({
  kind: settings.kind.exactOptional(),
  timeout: settings.timeout.exactOptional(),
  attempts: settings.attempts.exactOptional(),
  ...kindOptions,
  failureThreshold: settings.failureThreshold.exactOptional(),
  successThreshold: settings.successThreshold.exactOptional(),
})
  .exactOptional()
  .describe("Probe settings that replace those of the level above.")
  .meta({ examples: [{ timeout: "20s" }] });

const control = z
  .union(
    [
      url,
      strict({
        url: url
          .describe("The URL of the control. Only over plain HTTP does it need a text.")
          .meta({ examples: ["http://connectivity.example.org/"] }),
        text: expectedText
          .describe("A text that the answer must contain and the URL does not.")
          .meta({ examples: ["success"] }),
      }),
    ],
    { error: 'must be a URL, or { "url": "http://…", "text": "a text from the answer" }' },
  )
  .meta({ title: "control" });

/** The schema of `probe` of the file: how mirrors are probed. */
export const probe = strict({
  kind: settings.kind.default(defaultKind),
  timeout: settings.timeout.default("10s"),
  attempts: settings.attempts.default(3),
  ...kindOptions,
  failureThreshold: settings.failureThreshold.default(1),
  successThreshold: settings.successThreshold.default(1),
  concurrency: z
    .int()
    .min(1)
    .max(10_000)
    .default(128)
    .describe(
      "How many nodes are probed at once. A node that is silent for 0.4 s no longer counts. At most eight times as many are probed.",
    )
    .meta({ examples: [32] }),
  perHost: z
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe("How many nodes of one host and port are probed at once, counted as for `concurrency`.")
    .meta({ examples: [2] }),
  controls: z
    .array(control)
    .max(16)
    .default([])
    .describe(
      "URLs other than mirrors, requested in every run. An answer proves that the prober is online if it comes over HTTPS with a valid certificate, or if it contains the text. A redirect to another host proves nothing.",
    )
    .meta({ examples: [["https://example.org/"]] }),
  ca: z
    .array(z.string().min(1).max(4096).meta({ title: "path" }))
    .max(16)
    .default([])
    .describe(
      "PEM files of certificate authorities to trust, relative to this file, beside those of Node.js and NODE_EXTRA_CA_CERTS. Used for mirrors, controls and messages: check, pick and verify read NODE_EXTRA_CA_CERTS.",
    )
    .meta({ examples: [["ca/company.pem"]] }),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe("Whether loopback, private and link-local addresses may be probed.")
    .meta({ examples: [true] }),
  maxRedirects: z
    .int()
    .min(0)
    .max(20)
    .default(20)
    .describe("How many redirects are followed within the time limit. Git follows 20.")
    .meta({ examples: [5] }),
  maxBytes: z
    .int()
    .min(4096)
    .max(16_777_216)
    .default(65_536)
    .describe(
      "How many bytes of an answer are read. A repository with more refs counts as reachable if those that were read are valid.",
    )
    .meta({ examples: [1_048_576] }),
});
