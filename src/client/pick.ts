import type { Mirror, Moments } from "./documents.ts";
import { readFeed } from "./feed.ts";
import type { NotFound, Unknown } from "./outcome.ts";
import type { FeedOptions } from "./question.ts";

export interface PickOptions extends FeedOptions {
  /** Hosts whose mirrors are left out: names or addresses, with a port where only that one is meant. */
  readonly exclude?: readonly string[] | undefined;
}

export interface Picked extends Partial<Moments> {
  readonly outcome: "reachable";
  /** The best mirror. */
  readonly mirror: Mirror;
  /** All of them, the best first, the unreachable ones last. */
  readonly mirrors: readonly Mirror[];
}

/** No mirror is reachable; the list is in order all the same. */
export interface NonePicked extends Partial<Moments> {
  readonly outcome: "unreachable";
  readonly mirrors: readonly Mirror[];
}

export type PickResult = Picked | NonePicked | NotFound | Unknown;

/**
 * The best reachable mirror of a target, `system/project/target`, as the feed at a url says, and all of them in order.
 * Whatever the feed does is a value; rejects with TypeError where the question is not right, and with the signal's
 * reason.
 */
export function pick(url: string, target: string, options: PickOptions = {}): Promise<PickResult> {
  const { exclude = [] } = options;
  return readFeed(url, target, options, "tell", (feed) => {
    const mirrors = feed.mirrors.filter((mirror) => !exclude.some((host) => isAtHost(host, mirror)));
    const [mirror] = mirrors;
    return mirror?.status === 1
      ? { outcome: "reachable", mirror, ...feed, mirrors }
      : { outcome: "unreachable", ...feed, mirrors };
  });
}

/** Whether a mirror is at a host, which is named with or without a port. Throws TypeError where it is none. */
export function isAtHost(text: string, mirror: Mirror): boolean {
  const { protocol, host, hostname } = new URL(mirror.url);
  return [host, hostname].includes(new URL(`${protocol}//${text}`).host);
}
