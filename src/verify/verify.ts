import pLimit from "p-limit";
import { type FeedNames, networkRoot } from "../hosts/contract.ts";
import { profiles } from "../hosts/registry.ts";
import { InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { httpCodes } from "../http/codes.ts";
import { type Deployment, describeReply } from "./check-response.ts";
import { Client, type VerifyRequest, type VerifyReply } from "./client.ts";
import { type Crawl, crawlPages } from "./crawl.ts";
import { conditionalRequests, isDisagreement, checkAll, type CaseResult } from "./case-results.ts";
import { isName, isOwn, listedSystems, namesOfSystem, withTargetsFirst } from "./names.ts";
import { isDocument, planCases, type Sampled, spread } from "./plan.ts";

/** The source of the feed's names: a configuration, the documents of these systems, or of all listed systems. */
export type NamesFrom =
  | { readonly kind: "configuration"; readonly feed: FeedNames }
  | { readonly kind: "systems"; readonly systems: readonly string[] }
  | { readonly kind: "list" };

export interface VerifyOptions {
  readonly names: NamesFrom;
  readonly profile: string;
  readonly userAgent: string;
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  /** Called before each request with its number. */
  readonly onRequest?: ((sent: number) => void) | undefined;
  readonly limits?: Partial<Limits>;
}

export interface Limits {
  readonly atOnce: number;
  readonly requests: number;
  readonly requestMs: number;
  readonly totalMs: number;
  readonly answerBytes: number;
  readonly totalBytes: number;
  /** How many requests in a row may fail. */
  readonly unanswered: number;
}

export interface Verification {
  readonly profile: string;
  /** Whether mirrorfeed made the deployment; undefined if that is not known. */
  readonly own?: boolean;
  readonly sampled?: Sampled;
  readonly cases: readonly CaseResult[];
  /** How much of the pages was checked. Undefined if mirrorfeed did not make the deployment. */
  readonly crawl?: Crawl | undefined;
  /** Why the verification stopped early. */
  readonly stopped?: string | undefined;
}

const polite: Limits = {
  atOnce: 8,
  requests: 600,
  requestMs: 15_000,
  totalMs: 300_000,
  answerBytes: 16 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  unanswered: 16,
};

const maxSystems = 20;
const maxConditionals = 3;
const list = `/${networkRoot}/`;

/**
 * Runs the whole contract against a deployment. Throws InputError if the names of its feed cannot be found, and the
 * reason of the interrupt.
 */
export async function verifySite(site: URL, options: VerifyOptions): Promise<Verification> {
  const { names, profile } = options;
  const expected = profiles.get(profile);
  if (expected === undefined) throw new Error(`There is no profile ${profile}.`);
  const budget = new RequestBudget(site, options, { ...polite, ...options.limits });
  try {
    const [systems, error] = await Promise.all([budget.get(list), budget.get("/errors/not-found.json")]);
    if (systems.kind === "none" && error.kind === "none")
      return { profile, cases: [], stopped: `${site.href} gave no answer. ${httpCodes[systems.code]}` };
    const feed = await findNames(names, systems, budget);
    // One is for the status page.
    const left = budget.limits.requests - budget.sent - maxConditionals - 1;
    const plan = planCases(feed, names.kind === "configuration", left);
    const deployment: Deployment = { site, expected, own: isOwn(systems, error) };
    const replies = new Map<string, VerifyReply>();
    await budget.all(plan.cases, replies);
    if (checkAll(plan, replies, deployment).some(isDisagreement)) {
      // The feed may have been published again during the requests.
      await budget.all(plan.cases.filter(isDocument), replies);
    }
    await budget.all(conditionalRequests(plan, replies), replies);
    const { own } = deployment;
    const cases = checkAll(plan, replies, deployment);
    const { sampled } = plan;
    let crawl: Crawl | undefined;
    if (own && budget.stopped === undefined) {
      const pages = await crawlPages(site, (request) => budget.next(request));
      cases.push(...pages.cases);
      crawl = pages.crawl;
    }
    return { profile, own, sampled, cases, crawl, stopped: budget.stopped };
  } finally {
    await budget.close();
  }
}

async function findNames(names: NamesFrom, listed: VerifyReply, budget: RequestBudget): Promise<FeedNames> {
  if (names.kind === "configuration") return names.feed;
  const systems = names.kind === "systems" ? names.systems : listedSystems(listed);
  const remedy = "give the names with --config FILE";
  if (systems === undefined) {
    throw new InputError(
      `${list} lists no systems (${describeReply(listed)}); ${remedy} or --system NAME, or correct the URL.`,
    );
  }
  const foreign = systems.find((system) => !isName(system));
  if (foreign !== undefined)
    throw new InputError(`${quote(foreign)} is not a name of a system; correct --system.`);
  const read = new Set(spread(systems, maxSystems));
  const found = await Promise.all(
    systems.map(async (system) => {
      const reply = read.has(system) ? await budget.get(`${list}${system}/`) : undefined;
      const known = namesOfSystem(system, reply);
      if (known !== undefined) return known;
      // A system that is listed and cannot be read is broken, and its own case fails.
      if (names.kind === "list" || reply === undefined) return { system, projects: [] };
      throw new InputError(
        `${list}${system}/ shows no projects that could be read (${describeReply(reply)}); ${remedy}, or correct --system.`,
      );
    }),
  );
  return withTargetsFirst(found, ({ projects }) => projects.length);
}

/** The requests of one verification, with limits on their number at once and in all, their size and their time. */
class RequestBudget {
  readonly limits: Limits;
  sent = 0;
  stopped: string | undefined;
  readonly #client: Client;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #now: () => number;
  readonly #end: number;
  readonly #onRequest: VerifyOptions["onRequest"];
  #bytes = 0;
  #unanswered = 0;

  constructor(site: URL, { userAgent, interrupt, now, onRequest }: VerifyOptions, limits: Limits) {
    const { requestMs, answerBytes, atOnce, totalMs } = limits;
    this.limits = limits;
    this.#client = new Client(site, { userAgent, interrupt, requestMs, maxBytes: answerBytes });
    this.#limit = pLimit(atOnce);
    this.#now = now;
    this.#onRequest = onRequest;
    this.#end = now() + totalMs;
  }

  get(path: string): Promise<VerifyReply> {
    return this.#limit(() => this.#send({ method: "GET", path }));
  }

  /** Sends all requests and adds their replies, until the verification has to stop. */
  async all(
    requests: readonly (VerifyRequest & {
      readonly id: string;
      readonly expect?: { readonly kind: string };
    })[],
    replies: Map<string, VerifyReply>,
  ): Promise<void> {
    await this.#limit.map(requests, async (request) => {
      const reply = await this.#trySend(request);
      if (reply === undefined) return;
      replies.set(request.id, reply);
      // For what the contract leaves open a server may close the connection.
      if (request.expect?.kind !== "contained") this.#count(reply);
    });
  }

  /** Sends one more request, unless the verification has to stop. */
  next(request: VerifyRequest): Promise<VerifyReply | undefined> {
    return this.#limit(async () => {
      const reply = await this.#trySend(request);
      if (reply !== undefined) this.#count(reply);
      return reply;
    });
  }

  close(): Promise<void> {
    this.#limit.clearQueue();
    return this.#client.close();
  }

  /** Returns one reply, or undefined if the verification has to stop. */
  async #trySend(request: VerifyRequest): Promise<VerifyReply | undefined> {
    if (this.stopped !== undefined) return undefined;
    const reply = await this.#send(request);
    if (!isRateLimited(reply)) return reply;
    this.stopped = httpCodes.rate_limited;
    return undefined;
  }

  async #send(request: VerifyRequest): Promise<VerifyReply> {
    this.sent += 1;
    this.#onRequest?.(this.sent);
    const reply = await this.#client.send(request);
    if (reply.kind === "answer") this.#bytes += reply.body.length;
    return reply;
  }

  #count(reply: VerifyReply): void {
    const { unanswered, totalBytes, totalMs } = this.limits;
    this.#unanswered = reply.kind === "none" ? this.#unanswered + 1 : 0;
    if (reply.kind === "none" && this.#unanswered >= unanswered)
      this.stopped = `${unanswered} requests in a row got no answer. ${httpCodes[reply.code]}`;
    else if (this.#bytes > totalBytes)
      this.stopped = `It sent more than ${totalBytes / 1024 / 1024} MiB in all.`;
    else if (this.#now() > this.#end) this.stopped = `It took longer than ${totalMs / 1000} seconds in all.`;
  }
}

/** Returns whether an answer is about the rate of the requests, not about the contract. */
function isRateLimited(reply: VerifyReply): boolean {
  if (reply.kind === "none") return false;
  return reply.status === 429 || (reply.status === 503 && reply.headers["retry-after"] !== undefined);
}
