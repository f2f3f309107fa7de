import type { HttpResponse } from "../../src/core/base/http/response.ts";
import { git } from "../../src/core/kinds/git.ts";
import type { RequestUrl } from "../../src/core/kinds/kind.ts";

/** Returns what the kind `git` makes of this answer to its first request, if it gets no other answer. */
export function classifyGit(answer: HttpResponse) {
  const request: RequestUrl = (url, classify) =>
    Promise.resolve({ answer, code: classify(answer) ?? "timeout", url });
  const context = {
    tryRequest: () => Promise.resolve(undefined),
    verifySignature: () => Promise.resolve(undefined),
    isPrimary: false,
    hasPrimary: true,
    reference: undefined,
    now: 0,
    turn: 0,
  };
  return git.probe("https://git.example.org/a", {}, request, context);
}
