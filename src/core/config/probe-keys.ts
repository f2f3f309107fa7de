import * as z from "../base/zod.ts";
import { contentCodeNames } from "../kinds/mirror-content.ts";
import { defaultKind, kindNames, kindOptions, kindsText } from "../kinds/kinds.ts";
import { described, filePath } from "../kinds/kind.ts";
import { durationKey, textLine, url } from "./values.ts";

const expectedText = textLine("write some text from the answer", "write plain text on one line");

const threshold = z.int().min(1).max(100);

const settings = {
  kind: described(
    z.enum(kindNames),
    `What the mirrors serve, which determines when a mirror counts as reachable. ${kindsText()}`,
    "http",
  ),
  timeout: described(
    durationKey("100ms", "5m"),
    "The time limit for probing a mirror, including all attempts.",
    "20s",
  ),
  attempts: described(
    z.int().min(1).max(10),
    "How many times a probe is tried before it counts as failed.",
    2,
  ),
  failureThreshold: described(threshold, "How many failed runs in a row make an online mirror offline.", 2),
  successThreshold: described(
    threshold,
    "How many successful runs in a row make an offline mirror online. One run is enough if the target would otherwise have no reachable mirror.",
    3,
  ),
};

/** Schema for `probe` of a project, target or node. */
export const override = described(
  z
    .strictObject({
      kind: settings.kind.exactOptional(),
      timeout: settings.timeout.exactOptional(),
      attempts: settings.attempts.exactOptional(),
      ...kindOptions,
      failureThreshold: settings.failureThreshold.exactOptional(),
      successThreshold: settings.successThreshold.exactOptional(),
    })
    .exactOptional(),
  "Probe settings that override those of the enclosing target, project or file.",
  { timeout: "20s" },
);

const control = z
  .union(
    [
      url,
      z.strictObject({
        url: described(
          url,
          "The control's URL. Only plain HTTP needs `text`; an HTTPS control can be just a URL.",
          "http://connectivity.example.org/",
        ),
        text: described(
          expectedText,
          "Text that the answer must contain. The URL must not contain it, because a captive portal may show the URL.",
          "success",
        ),
      }),
    ],
    { error: 'must be a URL, or { "url": "http://…", "text": "some text from the answer" }' },
  )
  .meta({ title: "control" });

export const probe = z.strictObject({
  kind: settings.kind.default(defaultKind),
  timeout: settings.timeout.default("10s"),
  attempts: settings.attempts.default(3),
  ...kindOptions,
  failureThreshold: settings.failureThreshold.default(1),
  successThreshold: settings.successThreshold.default(1),
  concurrency: described(
    z.int().min(1).max(10_000).default(128),
    "How many mirrors are probed at the same time, not counting those that have been silent for 0.4 s. Counting these too, the limit is eight times as high.",
    32,
  ),
  perHost: described(
    z.int().min(1).max(1000).default(8),
    "How many mirrors on the same host and port are probed at the same time, counted as for `concurrency`.",
    2,
  ),
  controls: described(
    z.array(control).max(16).default([]),
    "URLs other than mirrors, requested in every run to prove that the prober is online. An answer counts if it comes over HTTPS with a valid certificate, or if it contains the control's `text`. A redirect to a different host does not count.",
    ["https://example.org/"],
  ),
  ca: described(
    z
      .array(filePath.meta({ title: "path" }))
      .max(16)
      .default([]),
    "PEM files of certificate authorities to trust in addition to those of Node.js and NODE_EXTRA_CA_CERTS. Paths are relative to this file. Used for mirrors, controls and notifications, but not by commands that read a published feed (`check`, `pick` and `verify`).",
    ["ca/company.pem"],
  ),
  userAgent: described(
    z.string().regex(/^[!-~](?:[ -~]{0,298}[!-~])?$/, {
      error: "must be at most 300 printable ASCII characters, without a space at either end",
    }),
    "The User-Agent to send, for mirrors whose bot check lets only certain ones pass. By default it names mirrorfeed and the feed, and for Git begins with `git/2.0`.",
    "git/2.0 (mirrors.example.org)",
  ).exactOptional(),
  allowPrivate: described(
    z.boolean().default(false),
    "Whether loopback, private and link-local addresses may be probed.",
    true,
  ),
  maxRedirects: described(
    z.int().min(0).max(20).default(20),
    "How many redirects a probe follows within its time limit. Git follows 20.",
    5,
  ),
  maxBytes: described(
    z.int().min(4096).max(16_777_216).default(65_536),
    "How many bytes of an answer are read. If a Git repository's list of refs is longer, the repository counts as reachable if the part that was read is valid.",
    1_048_576,
  ),
});

/** Mirrors that copy once a day never reach it, so none of them is amber in between. */
export const defaultGrace = "28h";

/** Schema for one level's `freshness`. Each key replaces the same key of the level above. */
export const freshnessKey = described(
  z
    .strictObject({
      grace: described(
        durationKey(),
        "How long a mirror may be behind, or have content that the reference never had, before it needs attention (default: 28h). Choose a little more than the time between two syncs of your slowest mirror.",
        "28h",
      ).exactOptional(),
      offlineAfter: described(
        durationKey(),
        "How long a mirror's content must have been behind, different or wrong before the mirror goes offline, such as 30m, 24h or 7d.",
        "24h",
      ).exactOptional(),
      states: described(
        z.array(z.enum(["behind", "differs"])).max(2),
        "The freshness states that take a mirror offline (default: both).",
        ["behind"],
      ).exactOptional(),
      codes: described(
        z.array(z.enum(contentCodeNames)).max(10),
        "The content codes that take a mirror offline (default: none).",
        ["missing_file", "expired"],
      ).exactOptional(),
    })
    .exactOptional(),
  "When outdated or wrong content needs attention, and when it takes a reachable mirror offline. Without `offlineAfter`, it never does. If no mirror of a target would be online, the best reachable one stays online. A mirror also stays online if no other mirror has copied the content it lacks.",
  { grace: "28h", offlineAfter: "3d" },
);
