import type { Code } from "./probe/observation.ts";

/** What each code means, for people. */
export const codeSentences: Readonly<Record<Code, string>> = {
  ok: "The mirror answered as it should.",
  dns: "Its name could not be resolved.",
  refused: "It refused the connection.",
  unreachable: "No network path leads to it.",
  no_route: "It has addresses only of a family that this prober lacks, so it was not observed.",
  reset: "It broke the connection off.",
  timeout: "It did not answer in time.",
  tls: "Its certificate or its TLS is not acceptable.",
  redirect: "It redirects in a way that is not followed.",
  http_status: "It answered with an HTTP error.",
  rate_limited: "It answered that it is asked too often, which is no evidence against it.",
  auth: "It asks for credentials: the repository is private or gone.",
  not_http: "Its answer is not valid HTTP.",
  not_git: "Its answer is not that of a git repository.",
  too_large: "Its answer is larger than is read.",
  blocked_address: "Its address is private, and allowPrivate is off.",
};
