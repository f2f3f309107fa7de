import type { ContractCase } from "./cases.ts";
import { type Deployment, describeReply, checkResponse, namesOf, referencePath } from "./check-response.ts";
import type { VerifyResponse, VerifyRequest, VerifyReply } from "./client.ts";
import { checkConsistency } from "./consistency.ts";
import { type FeedDocument, inspectDocument } from "./document.ts";
import type { CasePlan } from "./plan.ts";
import { broken, type Finding, isSpecified, type Outcome, outcomeOf, type Rule } from "./severity.ts";

/** A case and its outcome. `expected` and `actual` are safe to print. */
export interface CaseResult {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly outcome: Outcome;
  readonly expected: string;
  readonly actual: string;
  readonly rules: readonly Rule[];
}

export type Group =
  | "documents"
  | "errors"
  | "other methods"
  | "left open"
  | "consistency"
  | "caching"
  | "pages";

/** A request that names what the client has cached. */
export interface ConditionalRequest extends VerifyRequest {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The reply to each case and each conditional request, by their ids. */
export type Replies = ReadonlyMap<string, VerifyReply>;

const comparing: readonly Rule[] = ["same", "head", "consistency", "ids"];

/** Returns the result of every case that has a reply: the case itself, the agreement of the documents, and caching. */
export function checkAll(plan: CasePlan, replies: Replies, deployment: Deployment): CaseResult[] {
  const { own } = deployment;
  const consistency = checkConsistency(plan, readDocuments(plan, replies, own), own);
  return [
    ...plan.cases.flatMap((one) => {
      const reply = replies.get(one.id);
      if (reply === undefined) return [];
      const { id, method, path, title, expect } = one;
      const reference = expect.kind === "document" ? replies.get(`GET ${referencePath(expect)}`) : undefined;
      const findings = checkResponse(one, reply, reference, deployment);
      const expected = title.replace(`${method} ${path}: `, "");
      const passed = { expected, actual: describeReply(reply) };
      return [caseResult({ id, title, method, path }, groupOf(one), findings, passed, own, isSpecified(one))];
    }),
    ...consistency.map(({ id, title, path, findings }) =>
      caseResult({ id, title, method: "GET", path }, "consistency", findings, agreed, own, true),
    ),
    ...conditionalRequests(plan, replies).flatMap(({ id, method, path }) => {
      const reply = replies.get(id);
      if (reply === undefined) return [];
      const isRight = reply.kind === "answer" && (reply.status === 304 || reply.status === 200);
      const passed = { expected: "304, or 200", actual: describeReply(reply) };
      const findings: Finding[] = isRight ? [] : [{ rule: "conditional", ...passed }];
      const about = { id, title: `${path}, if it changed`, method, path };
      return [caseResult(about, "caching", findings, passed, own, true)];
    }),
    ...checkCaching(plan, replies, own),
  ];
}

/** Returns whether a case failed by a comparison of documents, which may be of two publications. */
export function isDisagreement({ outcome, rules }: CaseResult): boolean {
  return outcome !== "passed" && rules.some((rule) => comparing.includes(rule));
}

/** Returns the requests for the first documents by clients that have them in their cache. */
export function conditionalRequests({ sample: [first] }: CasePlan, replies: Replies): ConditionalRequest[] {
  const project = first?.projects[0];
  const names = [first?.system, project?.project, project?.targets[0]?.target].filter(
    (name) => name !== undefined,
  );
  return names.flatMap((_, depth) => {
    const path = `/v1/network/${names.slice(0, depth + 1).join("/")}/`;
    const known = replies.get(`GET ${path}`);
    const { etag, "last-modified": modified } =
      known?.kind === "answer" && known.status === 200 ? known.headers : {};
    if (etag === undefined && modified === undefined) return [];
    const headers = {
      ...(etag === undefined ? {} : { "if-none-match": etag }),
      ...(modified === undefined ? {} : { "if-modified-since": modified }),
    };
    return [{ id: `conditional ${path}`, method: "GET", path, headers }];
  });
}

function checkCaching({ cases }: CasePlan, replies: Replies, own: boolean): CaseResult[] {
  const found = cases.flatMap(({ id, method, path, expect }) => {
    const reply = replies.get(id);
    const isFound = reply?.kind === "answer" && reply.status === 200;
    return isFound && method === "GET" && expect.kind === "document" ? [{ path, reply }] : [];
  });
  if (found.length === 0) return [];
  const [without, ...more] = found.filter(({ reply }) => !mayBeKept(reply));
  const expected = "Cache-Control, ETag or Last-Modified on every document";
  const findings =
    without === undefined
      ? []
      : [broken("caching", expected, `none on ${more.length + 1} of ${found.length}, first ${without.path}`)];
  const title = "documents say how they may be kept";
  const about = { id: "caching", title, method: "GET", path: "/v1/network" };
  return [caseResult(about, "caching", findings, { expected, actual: "one on each" }, own, true)];
}

function mayBeKept({ headers }: VerifyResponse): boolean {
  return ["cache-control", "etag", "last-modified"].some((name) => headers[name] !== undefined);
}

const agreed = { expected: "the documents agree", actual: "they do" };

/** Returns the result of a case with its findings, or with the given text if there are none. */
export function caseResult(
  about: Pick<CaseResult, "id" | "title" | "method" | "path">,
  group: Group,
  findings: readonly Finding[],
  passed: Pick<CaseResult, "expected" | "actual">,
  own: boolean,
  specified: boolean,
): CaseResult {
  const shown = findings.length === 0 ? [passed] : findings;
  return {
    ...about,
    group,
    outcome: outcomeOf(findings, own, specified),
    expected: shown.map(({ expected }) => expected).join("; "),
    actual: shown.map(({ actual }) => actual).join("; "),
    rules: findings.map(({ rule }) => rule),
  };
}

function groupOf({ expect }: ContractCase): Group {
  if (expect.kind === "document") return "documents";
  if (expect.kind === "contained") return "left open";
  return expect.name === "method" ? "other methods" : "errors";
}

/** Returns the documents that could be read, each by its path with the slash at the end. */
function readDocuments({ cases }: CasePlan, replies: Replies, own: boolean): Map<string, FeedDocument> {
  const documents = new Map<string, FeedDocument>();
  for (const { id, path, expect } of cases) {
    const reply = replies.get(id);
    if (expect.kind !== "document" || id !== `GET ${referencePath(expect)}`) continue;
    if (reply?.kind !== "answer" || reply.status !== 200 || !reply.whole) continue;
    const { document } = inspectDocument(namesOf(expect), reply.body, own);
    if (document !== undefined) documents.set(path.slice(0, -1), document);
  }
  return documents;
}
