import type { FeedNames } from "../contract/contract.ts";
import { profiles } from "../hosts/registry.ts";
import type { CaseResult, Deployment } from "./check-answer.ts";
import { checkFeed, type Coverage } from "./check-feed.ts";
import { crawlPages } from "./crawl.ts";
import { type RequestOptions, Requests } from "./requests.ts";

export interface VerifyOptions extends RequestOptions {
  /** The names that the deployment must have. Without them, it lists its names itself. */
  readonly configured?: FeedNames | undefined;
  /** One of `profiles`. */
  readonly profile: string;
}

export interface Verification {
  readonly cases: readonly CaseResult[];
  /** How much was checked. */
  readonly checked: Readonly<Record<"documents" | "pages" | "files", Coverage>>;
  /** Why the verification stopped early. */
  readonly stopped?: string | undefined;
}

/** Checks the contract and the pages of a deployment. Throws the reason of the interrupt. */
export async function verifySite(site: URL, options: VerifyOptions): Promise<Verification> {
  const { configured, profile } = options;
  const capabilities = profiles.get(profile);
  if (capabilities === undefined) throw new Error(`There is no profile ${profile}.`);
  const deployment: Deployment = { site, capabilities };
  const requests = new Requests(site, options);
  try {
    let feed = await checkFeed(deployment, configured, requests.send);
    // The feed may have been published again during the requests.
    if (requests.stopped === undefined && feed.cases.some(({ ok }) => !ok))
      feed = await checkFeed(deployment, configured, requests.send);
    const { cases, pages, files } = await crawlPages(site, requests.send);
    return {
      cases: [...feed.cases, ...cases],
      checked: { documents: feed.documents, pages, files },
      stopped: requests.stopped,
    };
  } finally {
    await requests.close();
  }
}
