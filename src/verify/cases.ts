/** One request, and the sentence of the contract that its answer tests. */
export interface VerifyCase {
  readonly method: string;
  /** The request target, sent without normalization. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rule: string;
}

const list = "/v1/network";
const system = `${list}/{system}`;
const project = `${system}/{project}`;
const target = `${project}/{target}`;

/** {unknown} is a name that the deployment does not have; {longer} and {upper} are unknown too. */
const table: readonly (readonly [request: string, rule: string])[] = [
  [`GET ${list}/`, "The list of systems is a document."],
  [`GET ${list}`, "The list of systems needs no slash at the end."],
  [`GET ${system}/`, "A system is a document."],
  [`GET ${system}`, "A system needs no slash at the end."],
  [`GET ${project}/`, "A project is a document."],
  [`GET ${project}`, "A project needs no slash at the end."],
  [`GET ${target}/`, "A target is a document."],
  [`GET ${target}`, "A target needs no slash at the end."],
  [`GET ${target}/1/`, "Status 1 holds the online mirrors."],
  [`GET ${target}/1`, "Status 1 needs no slash at the end."],
  [`GET ${target}/0/`, "Status 0 holds the offline mirrors."],
  [`GET ${target}/0`, "Status 0 needs no slash at the end."],
  [`GET ${target}/?status=0`, "A query changes nothing."],
  [`HEAD ${target}/`, "HEAD answers like GET, without a body."],
  [`GET ${target}/ If-None-Match: *`, "A cached document may be revalidated."],
  [`GET ${list}/{unknown}`, "An unknown system is refused."],
  [`GET ${list}/{unknown}/`, "An unknown system is refused with a slash, too."],
  [`GET ${list}/{unknown}/{project}/{target}/1`, "The first unknown name decides."],
  [`GET ${system}/{unknown}`, "An unknown project is refused."],
  [`GET ${system}/{unknown}/{target}/2`, "A name is looked up before a status."],
  [`GET ${project}/{unknown}/`, "An unknown target is refused."],
  [`GET ${project}/{longer}`, "A name must match as a whole."],
  [`GET ${project}/{upper}`, "Upper case is another name."],
  [`GET ${target}/2`, "A status other than 0 and 1 is invalid."],
  [`GET ${target}/2/`, "An invalid status is refused with a slash, too."],
  [`GET ${target}/01`, "A status is one digit."],
  [`GET ${target}/-1`, "A status has no sign."],
  [`GET ${target}/online`, "A status is not a word."],
  [`GET ${target}/1/x`, "A status has nothing below it."],
  [`HEAD ${target}/2`, "HEAD answers an error like GET, without a body."],
  ["GET /v1/networks", "A path outside the contract is not found."],
  ["GET /no-such-file.json", "A missing file is not found."],
  [`POST ${target}/`, "The API is read-only: POST is refused."],
  [`DELETE ${target}/1/`, "The API is read-only: DELETE is refused."],
  ["GET /.git/config", "Hidden files stay hidden."],
  ["GET /..%2f..%2f..%2f..%2f..%2fetc/passwd", "No path leads out of the site."],
];

/**
 * Returns the cases of the table, filled with the names of a system, one of its projects and one of its targets. Without
 * these, only the cases that need none. `known` has all names that are in use at any of these levels.
 */
export function casesFor(place: readonly string[], known: ReadonlySet<string>): VerifyCase[] {
  const unused = (name: string): string => (known.has(name) ? unused(`${name}2`) : name);
  const names = new Map([["{unknown}", unused("no-such-name")]]);
  const [systemName, projectName, targetName] = place;
  if (systemName !== undefined && projectName !== undefined && targetName !== undefined) {
    names.set("{system}", systemName).set("{project}", projectName).set("{target}", targetName);
    names.set("{longer}", unused(`${targetName}2`)).set("{upper}", unused(targetName.toUpperCase()));
  }
  return table.flatMap(([request, rule]) => {
    const [method = "", pattern = "", header] = request.split(" ");
    const path = pattern.replaceAll(/\{\w+\}/g, (word) => names.get(word) ?? word);
    if (path.includes("{")) return [];
    return [{ method, path, ...(header !== undefined && { headers: { "if-none-match": "*" } }), rule }];
  });
}
