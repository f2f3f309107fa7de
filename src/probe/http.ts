import { type Judge, refusal } from "./judgement.ts";

/** Kind http: the status alone decides; 200 to 299 is expected where the configuration names none. */
export function judgeHttp(expectStatus: readonly number[] | undefined): Judge {
  return (answer) => {
    const expected = expectStatus?.includes(answer.status) ?? (answer.status >= 200 && answer.status < 300);
    return expected ? { code: "ok" } : refusal(answer);
  };
}
