import type { Observation } from "../probe/observation.ts";

/**
 * Returns the observation whose content most vantages saw, or undefined if there is none. If as many saw another, that of the
 * first vantage counts.
 */
export function prevailing(seen: readonly Observation[]): Observation | undefined {
  if (seen.length < 2) return seen[0];
  const counts = new Map<string, number>();
  for (const key of seen.map(contentKey)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return seen.find((one) => counts.get(contentKey(one)) === most);
}

function contentKey({ revision, branch, refs, content_code }: Observation): string {
  return JSON.stringify([revision, branch, refs, content_code]);
}
