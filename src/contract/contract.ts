/** The folder of the contract in the site. */
export const networkRoot = "v1/network";

/** The folder of the report, whose documents have the same paths below it. */
export const reportRoot = "v1/report";

/** Returns the path in the site of the document with these names: none, or those of a system, a project and a target. */
export function documentPath(root: string, ...names: string[]): string {
  return [root, ...names, "index.json"].join("/");
}

/** The documents of the contract's errors (specification, section 7), and of two more that web servers answer. */
export const errorDocuments = {
  system: { error: "System not found", code: 403 },
  project: { error: "Project not found", code: 403 },
  target: { error: "Target not found", code: 403 },
  status: { error: "Invalid status provided", code: 400 },
  method: { error: "Method not allowed", code: 405 },
  "not-found": { error: "Not found", code: 404 },
} as const;

export type ErrorName = keyof typeof errorDocuments;

/** Answers may be cached for 60 s: shorter than any schedule, and long enough for many requests at once. */
export const cacheControl = "public, max-age=60";

/** Returns the path of an error's document in the site. */
export function errorPath(name: string): string {
  return `errors/${name}.json`;
}

/** The page that browsers get for a missing path. */
export const notFoundPage = "errors/not-found.html";

/** Matches the rest of a path, after the slash of the base path, where browsers get a page if nothing is found (PCRE). */
export const pagePattern = String.raw`(?!(?:v1|errors)(?:/|\z))(?:[^/]*/)*(?:[^./]*|[^/]*\.html)\z`;

/** Returns a JSON document as the text of its file: compact, with a newline at the end. */
export function jsonText(document: object): string {
  return `${JSON.stringify(document)}\n`;
}

/** The names in a feed. Documents of systems and a configuration have this shape. */
export type FeedNames = readonly {
  readonly system: string;
  readonly projects: readonly {
    readonly project: string;
    readonly targets: readonly { readonly target: string }[];
  }[];
}[];

/** A system, a project or a target by its names from the system on, such as `system/project/target`. */
export interface Place {
  readonly level: "system" | "project" | "target";
  readonly place: string;
}

/** Returns the places of a feed, each before those below it. */
export function placesOf(feed: FeedNames): Place[] {
  return feed.flatMap(({ system, projects }): Place[] => [
    { level: "system", place: system },
    ...projects.flatMap(({ project, targets }): Place[] => [
      { level: "project", place: `${system}/${project}` },
      ...targets.map(({ target }): Place => ({ level: "target", place: `${system}/${project}/${target}` })),
    ]),
  ]);
}
