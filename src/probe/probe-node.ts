import { asError } from "../errors.ts";
import type { Deadline, Ending } from "./deadline.ts";
import { ProbeFailure } from "./failure.ts";
import { discoveryUrl, isDiscoveryUrl, judgeGit } from "./git.ts";
import { judgeHttp } from "./http.ts";
import type { Code } from "./observation.ts";
import { askFollowing } from "./redirect.ts";
import type { Transport } from "./request.ts";

/** What is asked: a url, how its answer is judged, and how long and how often. */
export interface Question {
  readonly kind: "git" | "http";
  readonly url: string;
  readonly expectStatus: readonly number[] | undefined;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly maxRedirects: number;
}

/** What the last attempt found, of how many, and when. */
export interface Finding {
  code: Code;
  http_status?: number;
  latency_ms?: number;
  attempts: number;
  checked_at: string;
  revision?: string;
  branch?: string;
  tls_expires_at?: string;
}

/** The clock and the dice, which tests replace. `now` is in milliseconds since 1970, `random` in [0, 1). */
export interface Chance {
  readonly now: () => number;
  readonly random: () => number;
}

/** Failures that another attempt would only repeat, or that ask us to stop. */
const final: ReadonlySet<Code> = new Set([
  "ok",
  "auth",
  "redirect",
  "rate_limited",
  "blocked_address",
  "no_route",
  "too_large",
]);

const firstPauseMs = 250;

/**
 * Asks until an attempt decides, at most `attempts` times, within one deadline for all of them, which is cleared at the
 * end. Every failure is a value; rejects only with the reason of who aborted the deadline, or with a fault of ours.
 */
export async function probeNode(
  deadline: Deadline,
  question: Question,
  transport: Transport,
  chance: Chance,
): Promise<Finding> {
  const endsAt = chance.now() + question.timeoutMs;
  try {
    for (let attempts = 1; ; attempts += 1) {
      const finding = await attempt(question, attempts, transport, chance, deadline);
      const pause = pauseMs(attempts, chance.random());
      const hopeless = final.has(finding.code) || isClientError(finding.http_status);
      if (hopeless || attempts === question.attempts || chance.now() + pause >= endsAt) return finding;
      if (!(await waited(pause, deadline))) return finding;
    }
  } finally {
    deadline.clear();
  }
}

/** How long to wait after the n-th attempt: twice as long each time, between a half and the whole of it by chance. */
function pauseMs(attempt: number, random: number): number {
  return firstPauseMs * 2 ** (attempt - 1) * (0.5 + random / 2);
}

async function attempt(
  { kind, url, expectStatus, maxRedirects }: Question,
  attempts: number,
  transport: Transport,
  { now }: Chance,
  deadline: Ending,
): Promise<Finding> {
  const start = kind === "git" ? discoveryUrl(url) : new URL(url);
  const judge = kind === "git" ? judgeGit : judgeHttp(expectStatus);
  const startedAt = now();
  try {
    const {
      answer,
      judgement,
      url: end,
    } = await askFollowing(transport, start, judge, maxRedirects, deadline);
    const misled = kind === "git" && judgement.code === "ok" && !isDiscoveryUrl(end);
    const endedAt = now();
    const finding: Finding = {
      code: misled ? "redirect" : judgement.code,
      http_status: answer.status,
      latency_ms: Math.max(0, Math.round(endedAt - startedAt)),
      attempts,
      checked_at: new Date(endedAt).toISOString(),
    };
    if (!misled && judgement.revision !== undefined) finding.revision = judgement.revision;
    if (!misled && judgement.branch !== undefined) finding.branch = judgement.branch;
    if (answer.tlsExpiresAt !== undefined) finding.tls_expires_at = answer.tlsExpiresAt;
    return finding;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    return { code: error.code, attempts, checked_at: new Date(now()).toISOString() };
  }
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}

/** Whether the pause was waited for to its end, and not cut short by the deadline. */
function waited(ms: number, deadline: Ending): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = {
      handleEvent: (): void => {
        clearTimeout(timer);
        const reason = asError(deadline.reason);
        if (reason instanceof ProbeFailure) resolve(false);
        else reject(reason);
      },
    };
    const timer = setTimeout(() => {
      deadline.removeEventListener("abort", end);
      resolve(true);
    }, ms);
    if (deadline.aborted) end.handleEvent();
    else deadline.addEventListener("abort", end);
  });
}
