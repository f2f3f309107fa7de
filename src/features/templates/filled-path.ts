/** Returns the path that a template in `public/` is rendered to, or undefined for any other file. */
export function filledPath(path: string): string | undefined {
  return /[^/. ]\.mustache$/.test(path) ? path.slice(0, -".mustache".length) : undefined;
}
