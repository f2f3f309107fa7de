import type { ContractCase } from "./cases.ts";
import { type Deployment, describeReply, judgeAnswer, namesOf, referencePath } from "./answer.ts";
import type { Answer, Question, Reply } from "./client.ts";
import { checkConsistency } from "./consistency.ts";
import { type FeedDocument, inspectDocument } from "./document.ts";
import type { Plan } from "./plan.ts";
import { type Finding, isSpecified, type Outcome, outcomeOf, type Rule } from "./severity.ts";

/** A case of the verification, judged. `expected` and `came` are safe to print. */
export interface JudgedCase {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly outcome: Outcome;
  readonly expected: string;
  readonly came: string;
  readonly rules: readonly Rule[];
}

export type Group = "documents" | "errors" | "other methods" | "left open" | "consistency" | "caching";

/** A request of which the reader says what it has already. */
export interface ConditionalQuestion extends Question {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What came for each case and each conditional request, by their ids. */
export type Replies = ReadonlyMap<string, Reply>;

const comparing: readonly Rule[] = ["same", "head", "consistency", "ids"];

/** Judges whatever was answered: each case, what the documents say of each other, and how they may be kept. */
export function judge(plan: Plan, replies: Replies, deployment: Deployment): JudgedCase[] {
  const { own } = deployment;
  const consistency = checkConsistency(plan, readDocuments(plan, replies, own), own);
  return [
    ...plan.cases.flatMap((one) => {
      const reply = replies.get(one.id);
      if (reply === undefined) return [];
      const { id, method, path, title, expect } = one;
      const reference = expect.kind === "document" ? referenceOf(expect, replies) : undefined;
      const findings = judgeAnswer(one, reply, reference, deployment);
      const expected = title.replace(`${method} ${path}: `, "");
      const passed = { expected, came: describeReply(reply) };
      return [judged({ id, title, method, path }, groupOf(one), findings, passed, own, isSpecified(one))];
    }),
    ...consistency.map(({ id, title, path, findings }) =>
      judged({ id, title, method: "GET", path }, "consistency", findings, agreed, own, true),
    ),
    ...conditionalQuestions(plan, replies).flatMap(({ id, method, path }) => {
      const reply = replies.get(id);
      if (reply === undefined) return [];
      const isRight = reply.kind === "answer" && (reply.status === 304 || reply.status === 200);
      const passed = { expected: "304, or 200", came: describeReply(reply) };
      const findings: Finding[] = isRight ? [] : [{ rule: "conditional", ...passed }];
      return [
        judged({ id, title: `${path}, if it changed`, method, path }, "caching", findings, passed, own, true),
      ];
    }),
    ...judgeCaching(plan, replies, own),
  ];
}

/** Whether a case failed by a comparison of documents, which may be of two publications. */
export function isDisagreement({ outcome, rules }: JudgedCase): boolean {
  return outcome !== "passed" && rules.some((rule) => comparing.includes(rule));
}

/** Requests for the first documents, by readers that have them. */
export function conditionalQuestions({ sample: [first] }: Plan, replies: Replies): ConditionalQuestion[] {
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

function judgeCaching({ cases }: Plan, replies: Replies, own: boolean): JudgedCase[] {
  const found = cases.flatMap(({ id, method, path, expect }) => {
    const reply = replies.get(id);
    const isFound = reply?.kind === "answer" && reply.status === 200;
    return isFound && method === "GET" && expect.kind === "document" ? [{ path, reply }] : [];
  });
  const [without, ...more] = found.filter(({ reply }) => !mayBeKept(reply));
  const expected = "Cache-Control, ETag or Last-Modified on every document";
  const findings: Finding[] =
    without === undefined
      ? []
      : [
          {
            rule: "caching",
            expected,
            came: `none on ${more.length + 1} of ${found.length}, first ${without.path}`,
          },
        ];
  const about = {
    id: "caching",
    title: "documents say how they may be kept",
    method: "GET",
    path: "/v1/network",
  };
  return found.length === 0
    ? []
    : [judged(about, "caching", findings, { expected, came: "one on each" }, own, true)];
}

function mayBeKept({ headers }: Answer): boolean {
  return ["cache-control", "etag", "last-modified"].some((name) => headers[name] !== undefined);
}

const agreed = { expected: "the documents agree", came: "they do" };

function judged(
  about: Pick<JudgedCase, "id" | "title" | "method" | "path">,
  group: Group,
  findings: readonly Finding[],
  passed: Pick<JudgedCase, "expected" | "came">,
  own: boolean,
  specified: boolean,
): JudgedCase {
  const join = (texts: readonly string[]): string => texts.join("; ");
  const told =
    findings.length === 0
      ? passed
      : {
          expected: join(findings.map(({ expected }) => expected)),
          came: join(findings.map(({ came }) => came)),
        };
  const outcome = outcomeOf(findings, own, specified);
  return { ...about, group, outcome, ...told, rules: findings.map(({ rule }) => rule) };
}

function groupOf({ expect }: ContractCase): Group {
  if (expect.kind === "document") return "documents";
  if (expect.kind === "contained") return "left open";
  return expect.name === "method" ? "other methods" : "errors";
}

function referenceOf(expect: Parameters<typeof referencePath>[0], replies: Replies): Reply | undefined {
  return replies.get(`GET ${referencePath(expect)}`);
}

/** The documents that could be read, each from its path with the slash at the end. */
function readDocuments({ cases }: Plan, replies: Replies, own: boolean): Map<string, FeedDocument> {
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
