import type { Ending } from "./deadline.ts";
import { parseUrl } from "../config/url.ts";
import { ProbeFailure } from "./failure.ts";
import { header, type Judge, type Judgement } from "./judgement.ts";
import type { Answer } from "./exchange.ts";
import type { Transport } from "./request.ts";

/** A judged answer, and where it came from in the end. */
export interface Judged {
  readonly answer: Answer;
  readonly judgement: Judgement;
  readonly url: URL;
}

/** What decides: a judgement, or a redirect that has none. */
interface Seen {
  readonly answer: Answer;
  readonly judgement: Judgement | undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Asks a url, follows at most `most` redirects (RFC 9110, 15.4) and judges the answer. Every hop is a request of its
 * own, so its address is checked as the first one was. Rejects with a ProbeFailure, or with the signal's reason.
 */
export async function askFollowing(
  transport: Transport,
  start: URL,
  judge: Judge,
  most: number,
  signal: Ending,
): Promise<Judged> {
  const look = (answer: Answer): Seen | undefined => {
    const judgement = judge(answer);
    return judgement === undefined && !isRedirect(answer) ? undefined : { answer, judgement };
  };
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const { answer, judgement } = await transport.get(url, look, signal);
    if (judgement !== undefined && (judgement.code === "ok" || !isRedirect(answer)))
      return { answer, judgement, url };
    if (hops === most) throw new ProbeFailure("redirect");
    url = nextHop(url, header(answer, "location"));
  }
}

function isRedirect({ status }: Answer): boolean {
  return redirects.has(status);
}

/**
 * Where a redirect leads. Throws a ProbeFailure for one that leads nowhere, out of http and https, from https back to
 * http, or that hands out credentials.
 */
export function nextHop(from: URL, location: string | undefined): URL {
  const to = location === undefined ? undefined : parseUrl(location, from.href);
  if (to === undefined) throw new ProbeFailure("redirect");
  const downgraded = from.protocol === "https:" && to.protocol !== "https:";
  const foreign = to.protocol !== "https:" && to.protocol !== "http:";
  if (downgraded || foreign || to.username !== "" || to.password !== "") throw new ProbeFailure("redirect");
  return to;
}
