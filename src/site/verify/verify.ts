import pLimit from "p-limit";
import { type FeedNames, networkRoot } from "../../contract.ts";
import { InputError } from "../../errors.ts";
import { quote } from "../../quote.ts";
import { codeSentences } from "../../sentences.ts";
import { type Deployment, describeReply, type Profile } from "./answer.ts";
import { Client, type Question, type Reply } from "./client.ts";
import { conditionalQuestions, isDisagreement, judge, type JudgedCase } from "./judgement.ts";
import { isName, isOwn, listedSystems, namesOfSystem, withTargetsFirst } from "./names.ts";
import { isDocument, planCases, type Sampled, spread } from "./plan.ts";

/** Where the names of the feed come from: a configuration, or documents of these systems, or all that are listed. */
export type NamesFrom =
  | { readonly kind: "configuration"; readonly feed: FeedNames }
  | { readonly kind: "systems"; readonly systems: readonly string[] }
  | { readonly kind: "list" };

export interface VerifyOptions {
  readonly names: NamesFrom;
  readonly profile: Profile;
  readonly userAgent: string;
  readonly interrupt: AbortSignal;
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
}

export interface Limits {
  readonly atOnce: number;
  readonly requests: number;
  readonly requestMs: number;
  readonly totalMs: number;
  readonly answerBytes: number;
  readonly totalBytes: number;
  /** How many requests in a row may get no answer. */
  readonly unanswered: number;
}

export interface Verification {
  readonly profile: Profile;
  /** Whether mirrorfeed made the deployment; undefined where that is not known. */
  readonly own?: boolean;
  readonly sampled?: Sampled;
  readonly cases: readonly JudgedCase[];
  /** Why it did not come to its end. */
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

const mostSystems = 20;
const mostConditionals = 3;
const list = `/${networkRoot}/`;

/**
 * Runs the whole contract against a deployment. Throws InputError where the names of its feed cannot be found, and
 * the reason of the interrupt.
 */
export async function verifySite(site: URL, options: VerifyOptions): Promise<Verification> {
  const { names, profile } = options;
  const inquiry = new Inquiry(site, options, { ...polite, ...options.limits });
  try {
    const [systems, error] = await Promise.all([inquiry.get(list), inquiry.get("/errors/not-found.json")]);
    if (systems.kind === "none" && error.kind === "none")
      return { profile, cases: [], stopped: `${site.href} gave no answer. ${codeSentences[systems.code]}` };
    const feed = await findNames(names, systems, inquiry);
    const left = inquiry.limits.requests - inquiry.asked - mostConditionals;
    const plan = planCases(feed, names.kind === "configuration", left);
    const deployment: Deployment = { site, profile, own: isOwn(systems, error) };
    const replies = new Map<string, Reply>();
    await inquiry.all(plan.cases, replies);
    if (judge(plan, replies, deployment).some(isDisagreement)) {
      // It may have been published anew while it was asked.
      await inquiry.all(plan.cases.filter(isDocument), replies);
    }
    await inquiry.all(conditionalQuestions(plan, replies), replies);
    const { own } = deployment;
    const cases = judge(plan, replies, deployment);
    return { profile, own, sampled: plan.sampled, cases, stopped: inquiry.stopped };
  } finally {
    inquiry.close();
  }
}

async function findNames(names: NamesFrom, listed: Reply, inquiry: Inquiry): Promise<FeedNames> {
  if (names.kind === "configuration") return names.feed;
  const systems = names.kind === "systems" ? names.systems : listedSystems(listed);
  const remedy = "give the names with --config FILE";
  if (systems === undefined) {
    throw new InputError(
      `${list} lists no systems (${describeReply(listed)}); ${remedy} or --system NAME, or correct the url.`,
    );
  }
  const foreign = systems.find((system) => !isName(system));
  if (foreign !== undefined)
    throw new InputError(`${quote(foreign)} is no name of a system; correct --system.`);
  const read = new Set(spread(systems, mostSystems));
  const found = await Promise.all(
    systems.map(async (system) => {
      const reply = read.has(system) ? await inquiry.get(`${list}${system}/`) : undefined;
      const known = namesOfSystem(system, reply);
      if (known !== undefined) return known;
      // A system that is listed and cannot be read is broken, and its case will say so.
      if (names.kind === "list" || reply === undefined) return { system, projects: [] };
      throw new InputError(
        `${list}${system}/ shows no projects that could be read (${describeReply(reply)}); ${remedy}, or correct --system.`,
      );
    }),
  );
  return withTargetsFirst(found, ({ projects }) => projects.length);
}

/** The requests of one verification: so many at a time, within limits that a deployment cannot stretch. */
class Inquiry {
  readonly limits: Limits;
  asked = 0;
  stopped: string | undefined;
  readonly #client: Client;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #now: () => number;
  readonly #end: number;
  #bytes = 0;
  #unanswered = 0;

  constructor(site: URL, { userAgent, interrupt, now }: VerifyOptions, limits: Limits) {
    const { requestMs, answerBytes, atOnce, totalMs } = limits;
    this.limits = limits;
    this.#client = new Client(site, { userAgent, interrupt, requestMs, mostBytes: answerBytes });
    this.#limit = pLimit(atOnce);
    this.#now = now;
    this.#end = now() + totalMs;
  }

  get(path: string): Promise<Reply> {
    return this.#limit(() => this.#ask({ method: "GET", path }));
  }

  /** Asks all, and adds what came to the replies, until there is a reason to stop. */
  async all(
    questions: readonly (Question & { readonly id: string; readonly expect?: { readonly kind: string } })[],
    replies: Map<string, Reply>,
  ): Promise<void> {
    await this.#limit.map(questions, async (question) => {
      if (this.stopped !== undefined) return;
      const reply = await this.#ask(question);
      if (isOurLoad(reply)) {
        this.stopped = codeSentences.rate_limited;
        return;
      }
      replies.set(question.id, reply);
      // A server may hang up on what the contract leaves open.
      if (question.expect?.kind !== "contained") this.#mind(reply);
    });
  }

  close(): void {
    this.#limit.clearQueue();
    this.#client.close();
  }

  async #ask(question: Question): Promise<Reply> {
    this.asked += 1;
    const reply = await this.#client.ask(question);
    if (reply.kind === "answer") this.#bytes += reply.body.length;
    return reply;
  }

  #mind(reply: Reply): void {
    const { unanswered, totalBytes, totalMs } = this.limits;
    this.#unanswered = reply.kind === "none" ? this.#unanswered + 1 : 0;
    if (reply.kind === "none" && this.#unanswered >= unanswered)
      this.stopped = `${unanswered} requests in a row got no answer. ${codeSentences[reply.code]}`;
    else if (this.#bytes > totalBytes)
      this.stopped = `It sent more than ${totalBytes / 1024 / 1024} MiB in all.`;
    else if (this.#now() > this.#end) this.stopped = `It took longer than ${totalMs / 1000} seconds in all.`;
  }
}

/** An answer that says how often we ask, and nothing of the contract. */
function isOurLoad(reply: Reply): boolean {
  if (reply.kind === "none") return false;
  return reply.status === 429 || (reply.status === 503 && reply.headers["retry-after"] !== undefined);
}
