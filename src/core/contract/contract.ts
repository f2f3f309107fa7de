/** The site folder with the contract's documents. */
export const networkRoot = "v1/network";

/** The site folder with the report. Below it, documents have the same paths as those of the contract. */
export const reportRoot = "v1/report";

/** `names` can be a system, project, target and status, or only the first few of these. */
export function documentPath(root: string, ...names: string[]): string {
  return [root, ...names, "index.json"].join("/");
}

/** The contract's error documents (specification, section 7), and two more for web servers. */
export const errorDocuments = {
  system: { error: "System not found", code: 403 },
  project: { error: "Project not found", code: 403 },
  target: { error: "Target not found", code: 403 },
  status: { error: "Invalid status provided", code: 400 },
  method: { error: "Method not allowed", code: 405 },
  "not-found": { error: "Not found", code: 404 },
} as const;

export type ErrorName = keyof typeof errorDocuments;

/** 60 s absorbs bursts of requests, and delays a new answer by at most a minute. */
export const cacheControl = "public, max-age=60";

export function errorPath(name: string): string {
  return `errors/${name}.json`;
}

/** Shown to browsers for a missing path. */
export const notFoundPage = "errors/not-found.html";

/**
 * A PCRE that matches the paths of pages, relative to the base path. If such a path is missing, browsers get
 * `notFoundPage` instead of JSON.
 */
export const pagePattern = String.raw`(?!(?:v1|errors)(?:/|\z))(?:[^/]*/)*(?:[^./]*|[^/]*\.html)\z`;

export function jsonText(document: object): string {
  return `${JSON.stringify(document)}\n`;
}

/** A feed's systems, projects and targets, from its documents or its configuration: by default, only their names. */
export type FeedNames<Target = { readonly target: string }> = readonly {
  readonly system: string;
  readonly projects: readonly { readonly project: string; readonly targets: readonly Target[] }[];
}[];

/** A system, project or target. `place` is its path, such as `system/project`. */
export interface Place {
  readonly level: "system" | "project" | "target";
  readonly place: string;
}

/** Lists parents before their children. */
export function placesOf(feed: FeedNames): Place[] {
  return feed.flatMap(({ system, projects }): Place[] => [
    { level: "system", place: system },
    ...projects.flatMap(({ project, targets }): Place[] => [
      { level: "project", place: `${system}/${project}` },
      ...targets.map(({ target }): Place => ({ level: "target", place: `${system}/${project}/${target}` })),
    ]),
  ]);
}
