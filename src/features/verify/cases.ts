/** A request, and the rule of the contract that its answer must follow. */
export interface VerifyCase {
  readonly method: string;
  /** The request target, sent without normalization. */
  readonly path: string;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
  readonly rule: string;
}

const list = "/v1/network";
const system = `${list}/{system}`;
const project = `${system}/{project}`;
const target = `${project}/{target}`;

/** The placeholders {unknown}, {longer} and {upper} stand for names that the deployment does not have. */
const table: readonly (readonly [request: string, rule: string])[] = [
  [`GET ${list}/`, "The list of systems is served as JSON."],
  [`GET ${list}`, "The list of systems also works without a trailing slash."],
  [`GET ${system}`, "A system works without a trailing slash."],
  [`GET ${project}`, "A project works without a trailing slash."],
  [`GET ${target}`, "A target works without a trailing slash."],
  [`GET ${target}/1`, "Status 1 works without a trailing slash."],
  [`GET ${target}/0`, "Status 0 works without a trailing slash."],
  [`GET ${target}/?status=0`, "A query string changes nothing."],
  [`HEAD ${target}/`, "HEAD answers like GET, without a body."],
  [`GET ${target}/ If-None-Match *`, "A cached document can be revalidated."],
  [`GET ${list}/{unknown}`, "An unknown system is refused."],
  [`GET ${list}/{unknown}/`, "An unknown system is also refused with a trailing slash."],
  [`GET ${list}/{unknown}/{project}/{target}/1`, "The first unknown name decides the error."],
  [`GET ${system}/{unknown}`, "An unknown project is refused."],
  [`GET ${system}/{unknown}/{target}/2`, "Names are checked before the status."],
  [`GET ${project}/{unknown}/`, "An unknown target is refused."],
  [`GET ${project}/{longer}`, "A name must match in full."],
  [`GET ${project}/{upper}`, "Names are case-sensitive."],
  [`GET ${target}/2`, "A status other than 0 or 1 is invalid."],
  [`GET ${target}/2/`, "An invalid status is also refused with a trailing slash."],
  [`GET ${target}/01`, "A status is a single digit."],
  [`GET ${target}/-1`, "A status has no sign."],
  [`GET ${target}/online`, "A status is not a word."],
  [`GET ${target}/1/x`, "There is nothing below a status."],
  [`HEAD ${target}/2`, "HEAD answers errors like GET, without a body."],
  ["GET /v1/networks", "A path outside the contract is not found."],
  ["GET /no-such-file.json", "A missing file is not found."],
  [`POST ${target}/`, "The API is read-only: POST is refused."],
  [`DELETE ${target}/1/`, "The API is read-only: DELETE is refused."],
  ["GET /.git/config", "Hidden files stay hidden."],
  ["GET /..%2f..%2f..%2f..%2f..%2fetc/passwd", "No path leads out of the site."],
];

/**
 * Returns the cases of the table for a target, written as system/project/target. If it is empty, returns only the cases
 * that need no names. `known` contains the names in use, or paths made of them.
 */
export function casesFor(place: string, known: readonly string[]): VerifyCase[] {
  const used = new Set(known.flatMap((path) => path.split("/")));
  const unused = (name: string): string => (used.has(name) ? unused(`${name}2`) : name);
  const [system, project, target] = place.split("/");
  const names = new Map([["{unknown}", unused("no-such-name")]]);
  if (system !== undefined && project !== undefined && target !== undefined) {
    names.set("{system}", system).set("{project}", project).set("{target}", target);
    names.set("{longer}", unused(`${target}2`)).set("{upper}", unused(target.toUpperCase()));
  }
  return table.flatMap(([request, rule]) => {
    const [method = "", pattern = "", ...headers] = request.split(" ");
    const path = pattern.replaceAll(/\{\w+\}/g, (word) => names.get(word) ?? word);
    if (path.includes("{")) return [];
    return [{ method, path, ...(headers.length > 0 && { headers }), rule }];
  });
}
