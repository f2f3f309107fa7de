import { readFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Ajv, type ValidateFunction } from "ajv";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { type Exchange, startServer } from "../../src/testbed/server.ts";

/** GitHub's own description of these requests and answers. See github-openapi.js. */
const description = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())), components: z.unknown() })
  .parse(asJsonSchema(JSON.parse(readFileSync(join(import.meta.dirname, "github-openapi.json"), "utf8"))));

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: "github", ...description });

const checks = new Map<string, ValidateFunction>();

/** Returns the check of a schema of the description. */
function checkOf(place: string): ValidateFunction {
  const check = checks.get(place) ?? ajv.compile({ $ref: `github${place}` });
  checks.set(place, check);
  return check;
}

const parameterSchema = z.object({ name: z.string(), in: z.enum(["path", "query"]) });
const reference = z.object({ $ref: z.string() });

export const token = "ghs_TokenThatMustStaySecret";

/** An answer instead of that of GitHub. `text` is sent as HTML. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly document?: object;
  readonly text?: string;
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface StoredIssue {
  readonly number: number;
  readonly title: string;
  readonly user: number;
  body: string;
  labels: string[];
  state: "open" | "closed";
  stateReason?: string;
  closedBy?: number;
  updatedAt: string;
  isPullRequest?: boolean;
  readonly comments: { readonly user: number; readonly body: string; readonly at: string }[];
}

/** The user of the token, and another person. */
export const [bot, person] = [41, 42];

/**
 * A substitute of GitHub's REST API on loopback, with the issues of one repository. Each request and each answer is
 * valid by GitHub's description of it, or the test fails.
 */
export class GitHubApi {
  url = "";
  now = "2026-03-10T12:10:00Z";
  pageSize = 100;
  /** Whether the token may set labels. If not, GitHub leaves them out without a word. */
  maySetLabels = true;
  readonly issues: StoredIssue[] = [];
  readonly requests: ApiRequest[] = [];
  /** Answers instead of GitHub. The request has no effect. */
  instead: (request: ApiRequest) => Answer | undefined = () => undefined;
  /** Whether the answer is lost after the request had its effect. */
  isLost: (request: ApiRequest) => boolean = () => false;

  /** What was written, as `POST /issues`. */
  get writes(): string[] {
    return this.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path.replace("/repos/example/mirrors", "")}`);
  }

  add(issue: Partial<StoredIssue>): StoredIssue {
    const number = this.issues.length + 1;
    const stored: StoredIssue = {
      ...{ number, title: "An issue", user: person, body: "", labels: [], state: "open", comments: [] },
      updatedAt: this.now,
      ...issue,
    };
    this.issues.push(stored);
    return stored;
  }

  /** Closes an issue as a person does. */
  closeByPerson(number: number): void {
    Object.assign(this.one(number), { state: "closed", stateReason: "not_planned", closedBy: person });
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
    const instead = this.instead(seen);
    const answered =
      instead ??
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
    // The links of its pages name the repository by its id.
    const pathname = url.pathname.replace(/^\/repositories\/1\//, "/repos/example/mirrors/");
    const [, owner, repo, number, comments] =
      /^\/repos\/([^/]+)\/([^/]+)\/issues(?:\/([^/]+)(\/comments)?)?$/.exec(pathname) ?? [];
    const place = `/repos/{owner}/{repo}/issues${number === undefined ? "" : "/{issue_number}"}${comments ?? ""}`;
    if (owner !== "example" || repo !== "mirrors")
      return { status: 404, document: problem("Not Found", 404) };
    const operation = operationOf(place, method.toLowerCase());
    const query = Object.fromEntries(url.searchParams);
    operation.checkParameters({ owner, repo, ...(number !== undefined && { issue_number: number }) }, query);
    operation.checkBody(body);
    const answer = this.#act(place, method, number, query, body, url);
    operation.checkAnswer(answer);
    return answer;
  }

  #act(
    place: string,
    method: string,
    number: string | undefined,
    query: Record<string, string>,
    body: unknown,
    url: URL,
  ): Answer {
    if (number === undefined) {
      return method === "GET" ? this.#page(this.#listed(query), query, url) : this.#create(body);
    }
    const issue = this.one(Number(number));
    if (place.endsWith("/comments")) {
      if (method === "GET") {
        const comments = issue.comments.filter(({ at }) => at >= (query["since"] ?? ""));
        return this.#page(
          comments.map((comment) => this.#commentDocument(issue, comment)),
          query,
          url,
        );
      }
      const comment = { user: bot, body: z.object({ body: z.string() }).parse(body).body, at: this.now };
      if (comment.body.length > 65_536) return tooLong;
      issue.comments.push(comment);
      issue.updatedAt = this.now;
      return { status: 201, document: this.#commentDocument(issue, comment) };
    }
    const { state, state_reason } = z
      .strictObject({ state: z.enum(["open", "closed"]), state_reason: z.string() })
      .parse(body);
    Object.assign(issue, { state, stateReason: state_reason, updatedAt: this.now });
    if (state === "closed") issue.closedBy = bot;
    return { status: 200, document: this.#issueDocument(issue) };
  }

  #listed({ labels = "", state = "open", since = "" }: Record<string, string>): object[] {
    return this.issues
      .filter((issue) => issue.labels.includes(labels) && (state === "all" || issue.state === state))
      .filter(({ updatedAt }) => updatedAt >= since)
      .toSorted((left, right) => right.number - left.number)
      .map((issue) => this.#issueDocument(issue));
  }

  #create(body: unknown): Answer {
    const {
      title,
      body: text,
      labels,
    } = z.strictObject({ title: z.string(), body: z.string(), labels: z.array(z.string()) }).parse(body);
    if (text.length > 65_536 || title.length > 256) return tooLong;
    const known = this.maySetLabels ? labels : [];
    return {
      status: 201,
      document: this.#issueDocument(this.add({ title, body: text, labels: known, user: bot })),
    };
  }

  #page(all: readonly object[], query: Record<string, string>, url: URL): Answer {
    const size = Math.min(Number(query["per_page"] ?? 30), this.pageSize);
    const page = Number(query["page"] ?? 1);
    const next = new URL(url.href.replace("/repos/example/mirrors/", "/repositories/1/"));
    next.searchParams.set("page", String(page + 1));
    const hasNext = all.length > page * size;
    const links = `<${next.href}>; rel="next", <${next.href}>; rel="last"`;
    return {
      status: 200,
      document: all.slice((page - 1) * size, page * size),
      headers: hasNext ? { link: links } : {},
    };
  }

  #issueDocument(issue: StoredIssue): object {
    const url = `${this.url}/repos/example/mirrors/issues/${issue.number}`;
    return {
      ...{ id: 1000 + issue.number, node_id: "I_1", url, number: issue.number, title: issue.title },
      ...{ repository_url: url, labels_url: url, comments_url: url, events_url: url, html_url: url },
      ...{ state: issue.state, locked: false, body: issue.body, user: userDocument(issue.user) },
      ...(issue.stateReason !== undefined && { state_reason: issue.stateReason }),
      ...{ assignee: null, milestone: null, author_association: "COLLABORATOR" },
      labels: issue.labels.map((name, id) => ({
        id,
        node_id: "L_1",
        url,
        name,
        color: "ededed",
        default: false,
      })),
      comments: issue.comments.length,
      ...{ created_at: issue.updatedAt, updated_at: issue.updatedAt },
      closed_at: issue.state === "closed" ? issue.updatedAt : null,
      ...(issue.closedBy !== undefined && { closed_by: userDocument(issue.closedBy) }),
      ...(issue.isPullRequest === true && {
        pull_request: { url, html_url: url, diff_url: url, patch_url: url },
      }),
    };
  }

  #commentDocument(issue: StoredIssue, comment: StoredIssue["comments"][number]): object {
    const url = `${this.url}/repos/example/mirrors/issues/${issue.number}#c`;
    const { user, body, at } = comment;
    return {
      ...{ id: 1, node_id: "IC_1", url, html_url: url, issue_url: url, body, created_at: at, updated_at: at },
      ...{ user: userDocument(user), author_association: "NONE" },
    };
  }
}

/** Starts the substitute. It ends with the test, which fails if a request or an answer was not valid. */
export async function startGitHubApi(): Promise<GitHubApi> {
  const api = new GitHubApi();
  const server = await startServer((exchange) => api.answer(exchange));
  api.url = server.url;
  onTestFinished(() => server.close());
  return api;
}

/** Returns the document of an error. */
export function problem(message: string, status: number): object {
  return { message, documentation_url: "https://docs.github.com/rest", status: String(status) };
}

const tooLong: Answer = {
  status: 422,
  document: {
    ...problem("Validation Failed", 422),
    errors: [{ resource: "Issue", code: "custom", field: "body", message: "body is too long" }],
  },
};

function userDocument(id: number): object {
  const url = `https://api.github.com/users/u${id}`;
  return {
    ...{ login: `u${id}`, id, node_id: "U_1", avatar_url: url, gravatar_id: "", url, html_url: url },
    ...{ followers_url: url, following_url: url, gists_url: url, starred_url: url, subscriptions_url: url },
    ...{ organizations_url: url, repos_url: url, events_url: url, received_events_url: url },
    ...{ type: id === bot ? "Bot" : "User", site_admin: false },
  };
}

interface Operation {
  readonly checkParameters: (path: Record<string, string>, query: Record<string, string>) => void;
  readonly checkBody: (body: unknown) => void;
  readonly checkAnswer: (answer: Answer) => void;
}

/** Returns the checks of an operation of GitHub's description. They throw what is not valid. */
function operationOf(path: string, method: string): Operation {
  const pointer = `/paths/${path.replaceAll("/", "~1").replaceAll(/[{}]/g, encodeURIComponent)}/${method}`;
  const operation = z
    .object({
      parameters: z.array(z.unknown()),
      requestBody: z.unknown().optional(),
      responses: z.record(z.string(), z.unknown()),
    })
    .parse(description.paths[path]?.[method]);
  const parameters = operation.parameters.map((given, index) => {
    const place = reference.safeParse(given).data?.$ref ?? `#${pointer}/parameters/${index}`;
    const value = reference.safeParse(given).success ? resolved(place) : given;
    return { ...parameterSchema.parse(value), check: checkOf(`${place}/schema`) };
  });
  return {
    checkParameters: (inPath, query) => {
      for (const [where, values] of Object.entries({ path: inPath, query })) {
        for (const [name, text] of Object.entries(values)) {
          const known = parameters.find((parameter) => parameter.in === where && parameter.name === name);
          if (known === undefined) throw new Error(`${path} has no parameter ${name}.`);
          if (!known.check(text) && !known.check(Number(text))) throw invalid(known.check, text);
        }
      }
    },
    checkBody: (body) => {
      if (operation.requestBody === undefined) return;
      const check = checkOf(`#${pointer}/requestBody/content/application~1json/schema`);
      if (!check(body)) throw invalid(check, body);
    },
    checkAnswer: ({ status, document }) => {
      const given = operation.responses[String(status)];
      if (given === undefined) throw new Error(`${path} does not answer with ${status}.`);
      const place = reference.safeParse(given).data?.$ref ?? `#${pointer}/responses/${status}`;
      const check = checkOf(`${place}/content/application~1json/schema`);
      if (!check(document)) throw invalid(check, document);
    },
  };
}

function invalid({ errors }: ValidateFunction, value: unknown): Error {
  return new Error(`Not valid by GitHub's description: ${JSON.stringify(errors)} ${JSON.stringify(value)}`);
}

function resolved(pointer: string): unknown {
  return pointer
    .slice(2)
    .split("/")
    .reduce<unknown>((value, key) => z.record(z.string(), z.unknown()).parse(value)[key], description);
}

/** Returns an OpenAPI 3.0 document with the `null` of JSON Schema instead of `nullable`. */
function asJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asJsonSchema);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, asJsonSchema(one)]),
  );
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest;
}
