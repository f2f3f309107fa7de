import type { HttpResponse } from "../../src/core/base/http/response.ts";
import { git } from "../../src/core/kinds/git.ts";
import type { Classification, RequestUrl } from "../../src/core/kinds/kind.ts";

/** Returns how the kind `git` classifies this answer to its first request. */
export function classifyGit(answer: HttpResponse) {
  let classified: Classification<string> | undefined;
  const request: RequestUrl = (_, classify) => {
    classified = classify(answer);
    return new Promise(() => undefined);
  };
  const context = {
    tryRequest: request,
    verifySignature: () => Promise.resolve(undefined),
    isPrimary: false,
    hasPrimary: true,
    reference: undefined,
    now: 0,
    turn: 0,
  };
  void git.probe("https://git.example.org/a", {}, request, context);
  return classified;
}
