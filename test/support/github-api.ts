import { json } from "node:stream/consumers";
import * as z from "zod";
import { closeAfterTest } from "./close-after-test.ts";
import { type Exchange, startServer } from "./mirror-server.ts";

export const token = "ghs_TokenThatMustStaySecret";

const text = z.string().max(65_536);

/** The documented requests that the tests need: https://docs.github.com/rest/issues */
const documented = {
  /** https://docs.github.com/rest/issues/issues#list-repository-issues */
  listIssues: z.strictObject({
    labels: z.string(),
    state: z.enum(["open", "closed", "all"]).default("open"),
    per_page: z.coerce.number().int().min(1).max(100).default(30),
  }),
  /** https://docs.github.com/rest/issues/issues#create-an-issue */
  createIssue: z.strictObject({ title: z.string().max(256), body: text, labels: z.array(z.string()) }),
  /** https://docs.github.com/rest/issues/comments#create-an-issue-comment */
  createComment: z.strictObject({ body: text }),
  /** https://docs.github.com/rest/issues/issues#update-an-issue */
  updateIssue: z.strictObject({
    state: z.enum(["open", "closed"]),
    state_reason: z.enum(["completed", "not_planned", "duplicate", "reopened"]),
  }),
};

/** An answer that replaces GitHub's. `text` is sent as HTML. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly document?: object;
  readonly text?: string;
}

interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

interface StoredIssue {
  readonly number: number;
  readonly title: string;
  /** Null if the user's account was deleted. */
  readonly user: number | null;
  readonly body: string | null;
  labels: string[];
  state: "open" | "closed";
  stateReason?: string;
  isPullRequest?: boolean;
  isDeleted?: boolean;
  readonly comments: { readonly body: string }[];
}

/** The user ids of the token's owner and of somebody else. */
const [bot, person] = [41, 42];

/**
 * A substitute for GitHub's REST API on loopback, with one repository's issues. It accepts only documented requests. If
 * GitHub documents several types for a field, the substitute's answers use all of them.
 */
export class GitHubApi {
  url = "";
  readonly issues: StoredIssue[] = [];
  readonly requests: ApiRequest[] = [];
  /** May return an answer to send instead of GitHub's. The request then has no effect. */
  instead: (request: ApiRequest) => Answer | undefined = () => undefined;
  /** Whether the answer is lost although the request took effect. */
  isLost: (request: ApiRequest) => boolean = () => false;

  /** The requests that write, such as `POST /issues`. */
  get writes(): string[] {
    return this.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace("/repos/example/mirrors", "")}`);
  }

  add(issue: Partial<StoredIssue>): StoredIssue {
    const number = this.issues.length + 1;
    const stored: StoredIssue = {
      ...{ number, title: "An issue", user: person, body: "", labels: [], state: "open", comments: [] },
      ...issue,
    };
    this.issues.push(stored);
    return stored;
  }

  one(number: number): StoredIssue {
    const issue = this.issues.find((each) => each.number === number);
    if (issue === undefined) throw new Error(`There is no issue ${number}.`);
    return issue;
  }

  async answer({ request, response, path: target, reset }: Exchange): Promise<void> {
    const { method = "", headers } = request;
    const url = new URL(target, this.url);
    const body: unknown = method === "GET" ? undefined : await json(request);
    const seen = { method, path: url.pathname, body };
    this.requests.push(seen);
    const isNamed = headers["user-agent"] !== undefined && headers["x-github-api-version"] === "2022-11-28";
    if (!isNamed || headers.accept !== "application/vnd.github+json") throw new Error("A header is missing.");
    const answered =
      this.instead(seen) ??
      (headers.authorization === `Bearer ${token}`
        ? this.#answerTo(seen, url)
        : { status: 401, document: problem("Bad credentials", 401) });
    if (this.isLost(seen)) {
      reset();
      return;
    }
    const type = answered.text === undefined ? "application/json; charset=utf-8" : "text/html";
    response.writeHead(answered.status, { "content-type": type, ...answered.headers });
    response.end(answered.text ?? JSON.stringify(answered.document));
  }

  #answerTo({ method, body }: ApiRequest, url: URL): Answer {
    const path = url.pathname;
    const [found, number, comments = ""] =
      /^\/repos\/example\/mirrors\/issues(?:\/([1-9]\d*)(\/comments)?)?$/.exec(path) ?? [];
    if (found === undefined) return { status: 404, document: problem("Not Found", 404) };
    const query = Object.fromEntries(url.searchParams);
    switch (`${method} issues${number === undefined ? "" : "/N"}${comments}`) {
      case "GET issues": {
        const { labels, state, per_page } = documented.listIssues.parse(query);
        const issues = this.issues
          .filter((issue) => issue.labels.includes(labels) && (state === "all" || issue.state === state))
          .toSorted((left, right) => right.number - left.number);
        return { status: 200, document: issues.slice(0, per_page).map(issueDocument) };
      }
      case "POST issues": {
        const { labels, ...issue } = documented.createIssue.parse(body);
        const added = this.add({ ...issue, labels, user: bot });
        return { status: 201, document: issueDocument(added) };
      }
      case "GET issues/N":
        return this.one(Number(number)).isDeleted === true
          ? { status: 410, document: problem("This issue was deleted", 410) }
          : { status: 200, document: issueDocument(this.one(Number(number))) };
      case "POST issues/N/comments": {
        const issue = this.one(Number(number));
        issue.comments.push(documented.createComment.parse(body));
        return { status: 201, document: { id: 1 } };
      }
      case "PATCH issues/N": {
        const { state, state_reason: stateReason } = documented.updateIssue.parse(body);
        const issue = Object.assign(this.one(Number(number)), { state, stateReason });
        return { status: 200, document: issueDocument(issue) };
      }
      default:
        throw new Error(`GitHub documents no ${method} ${path}.`);
    }
  }
}

/** Starts the substitute, and stops it when the test ends. The test fails if a request was invalid. */
export async function startGitHubApi(): Promise<GitHubApi> {
  const api = new GitHubApi();
  api.url = closeAfterTest(await startServer((exchange) => api.answer(exchange))).url;
  return api;
}

export function problem(message: string, status: number): object {
  return { message, documentation_url: "https://docs.github.com/rest", status: String(status) };
}

/** Labels are strings or objects (https://docs.github.com/rest/issues/issues#get-an-issue). */
function issueDocument({ user, labels, isPullRequest = false, ...issue }: StoredIssue): object {
  const { number, title, body, state, comments } = issue;
  return {
    ...{ id: 1000 + number, number, title, body, state, comments: comments.length },
    state_reason: issue.stateReason ?? null,
    user: user === null ? null : { login: `u${user}`, id: user, type: user === bot ? "Bot" : "User" },
    labels: labels.map((name, index) => (index === 0 ? { id: 1, name, color: "ededed" } : name)),
    ...(isPullRequest && { pull_request: { url: "https://api.github.com/pulls/1" } }),
  };
}
