/** Why the result is unknown, or why a feed was passed over. Options are named as those of the command line. */
export const reasonSentences = {
  no_answer: "The feed could not be read.",
  timeout: "The feed did not answer in time.",
  redirect: "The feed redirects in a way that mirrorfeed does not follow.",
  too_large: "The feed's answer is too large.",
  http_status: "The feed answered with an unexpected HTTP status; check its URL, including the path.",
  not_contract: "The answer is not a feed: it does not follow the contract.",
  expired: "The feed has expired: its last run was too long ago to prove anything.",
  too_old: "The feed is older than --max-age allows.",
  ahead: "The feed's date is ahead of this machine's clock; correct whichever clock is wrong.",
  other_site: "The feed belongs to another site; name that first, or with --site, if you trust it.",
  older: "The feed is older than one seen before.",
  prober_offline: "The feed's prober has never reached anything, so its statuses prove nothing.",
  no_report: "This feed publishes no report, so freshness and age are unknown.",
  unsigned: "The feed is not signed, but --public-key requires a signature.",
  bad_signature: "The feed's signature is damaged, or was not made with this key.",
  bad_digest:
    "A document does not match the feed's signature; this can happen while the host publishes a new feed.",
} as const;

export type Reason = keyof typeof reasonSentences;
