/** The folder of the contract: every path below it is one of the specification's. */
export const networkRoot = "v1/network";

/** The errors of the contract (specification, section 7), and the two a web server adds: what it answers, and why. */
export const errorDocuments = {
  system: { error: "System not found", code: 403 },
  project: { error: "Project not found", code: 403 },
  target: { error: "Target not found", code: 403 },
  status: { error: "Invalid status provided", code: 400 },
  method: { error: "Method not allowed", code: 405 },
  "not-found": { error: "Not found", code: 404 },
} as const;

export type ErrorName = keyof typeof errorDocuments;

/** How long an answer may be kept: shorter than any schedule, long enough to take a burst. */
export const cacheControl = "public, max-age=60";

/** Where an error's document stands in the site. */
export function errorPath(name: ErrorName): string {
  return `errors/${name}.json`;
}

/** The bytes of a JSON document of the site: compact, with a newline at the end. */
export function jsonText(document: object): string {
  return `${JSON.stringify(document)}\n`;
}

/** A system, a project or a target by its names from the system on, such as `system/project/target`. */
export interface Place {
  readonly level: "system" | "project" | "target";
  readonly place: string;
  /** The places one level below it. */
  readonly below: readonly string[];
}

/** Returns the places of a feed, each before those below it. */
export function placesOf(feed: FeedNames): Place[] {
  return feed.flatMap(({ system, projects }): Place[] => [
    { level: "system", place: system, below: projects.map(({ project }) => `${system}/${project}`) },
    ...projects.flatMap(({ project, targets }): Place[] => {
      const place = `${system}/${project}`;
      const below = targets.map(({ target }) => `${place}/${target}`);
      return [
        { level: "project", place, below },
        ...below.map((target): Place => ({ level: "target", place: target, below: [] })),
      ];
    }),
  ]);
}

/** The names of a feed: system documents have them, and the systems of a configuration. */
export type FeedNames = readonly {
  readonly system: string;
  readonly projects: readonly {
    readonly project: string;
    readonly targets: readonly { readonly target: string }[];
  }[];
}[];
