import type { ErrorName } from "../contract/contract.ts";

/** One request, and what the contract says about its answer. */
export interface VerifyCase {
  readonly method: string;
  /** The request target, sent without normalization. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: Expectation;
  /** The sentence of the contract that the request tests. */
  readonly rule: string;
}

/** The document of a path, an error, or `inside`: anything but a file from outside the site. */
export type Expectation = { readonly document: string } | ErrorName | "inside";

/** The names that fill the requests. */
export interface CaseNames {
  /** The names of a system, one of its projects and one of its targets. Empty if the deployment has no target. */
  readonly place: readonly string[];
  /** Names that are in use at any of these levels. */
  readonly known: ReadonlySet<string>;
}

const list = { document: "/v1/network/" };
const system = { document: "/v1/network/{system}/" };
const project = { document: "/v1/network/{system}/{project}/" };
const target = { document: "/v1/network/{system}/{project}/{target}/" };
const offline = { document: `${target.document}0/` };
const online = { document: `${target.document}1/` };

/** {unknown} is a name that the deployment does not have; {longer} and {upper} are unknown too. */
const table: readonly (readonly [request: string, expect: Expectation, rule: string])[] = [
  [`GET ${list.document}`, list, "The list of systems is a document."],
  ["GET /v1/network", list, "The list of systems needs no slash at the end."],
  [`GET ${system.document}`, system, "A system is a document."],
  ["GET /v1/network/{system}", system, "A system needs no slash at the end."],
  [`GET ${project.document}`, project, "A project is a document."],
  ["GET /v1/network/{system}/{project}", project, "A project needs no slash at the end."],
  [`GET ${target.document}`, target, "A target is a document."],
  ["GET /v1/network/{system}/{project}/{target}", target, "A target needs no slash at the end."],
  [`GET ${online.document}`, online, "Status 1 holds the online mirrors."],
  ["GET /v1/network/{system}/{project}/{target}/1", online, "Status 1 needs no slash at the end."],
  [`GET ${offline.document}`, offline, "Status 0 holds the offline mirrors."],
  ["GET /v1/network/{system}/{project}/{target}/0", offline, "Status 0 needs no slash at the end."],
  [`GET ${target.document}?status=0`, target, "A query changes nothing."],
  [`HEAD ${target.document}`, target, "HEAD answers like GET, without a body."],
  [`GET ${target.document} If-None-Match: *`, target, "A cached document may be revalidated."],
  ["GET /v1/network/{unknown}", "system", "An unknown system is refused."],
  ["GET /v1/network/{unknown}/", "system", "An unknown system is refused with a slash, too."],
  ["GET /v1/network/{unknown}/{project}/{target}/1", "system", "The first unknown name decides."],
  ["GET /v1/network/{system}/{unknown}", "project", "An unknown project is refused."],
  ["GET /v1/network/{system}/{unknown}/{target}/2", "project", "A name is looked up before a status."],
  ["GET /v1/network/{system}/{project}/{unknown}/", "target", "An unknown target is refused."],
  ["GET /v1/network/{system}/{project}/{longer}", "target", "A name must match as a whole."],
  ["GET /v1/network/{system}/{project}/{upper}", "target", "Upper case is another name."],
  [`GET ${target.document}2`, "status", "A status other than 0 and 1 is invalid."],
  [`GET ${target.document}2/`, "status", "An invalid status is refused with a slash, too."],
  [`GET ${target.document}01`, "status", "A status is one digit."],
  [`GET ${target.document}-1`, "status", "A status has no sign."],
  [`GET ${target.document}online`, "status", "A status is not a word."],
  [`GET ${target.document}1/x`, "status", "A status has nothing below it."],
  [`HEAD ${target.document}2`, "status", "HEAD answers an error like GET, without a body."],
  ["GET /v1/networks", "not-found", "A path outside the contract is not found."],
  ["GET /no-such-file.json", "not-found", "A missing file is not found."],
  [`POST ${target.document}`, "method", "The API is read-only: POST is refused."],
  [`DELETE ${online.document}`, "method", "The API is read-only: DELETE is refused."],
  ["GET /.git/config", "inside", "Hidden files stay hidden."],
  ["GET /..%2f..%2f..%2f..%2f..%2fetc/passwd", "inside", "No path leads out of the site."],
];

/** Returns the cases of the table, filled with names. A case that needs a name is left out if `place` is empty. */
export function casesFor({ place, known }: CaseNames): VerifyCase[] {
  const [systemName = "", projectName = "", targetName = ""] = place;
  const unused = (name: string): string => (known.has(name) ? unused(`${name}2`) : name);
  const names: Readonly<Record<string, string>> = {
    "{unknown}": unused("no-such-name"),
    ...(place.length === 0
      ? {}
      : {
          "{system}": systemName,
          "{project}": projectName,
          "{target}": targetName,
          "{longer}": unused(`${targetName}2`),
          "{upper}": unused(targetName.toUpperCase()),
        }),
  };
  const fill = (pattern: string): string => pattern.replaceAll(/\{\w+\}/g, (word) => names[word] ?? word);
  return table
    .filter(([request]) => !fill(request).includes("{"))
    .map(([request, expect, rule]) => {
      const [method = "", path = "", header] = request.split(" ");
      const condition = header === undefined ? {} : { headers: { "if-none-match": "*" } };
      const filled = typeof expect === "object" ? { document: fill(expect.document) } : expect;
      return { method, path: fill(path), ...condition, expect: filled, rule };
    });
}
