import * as z from "zod";
import { classifyStatus } from "./classification.ts";
import type { Kind } from "./kind.ts";

const status = z.int().min(100).max(599);

const options = z.object({
  expectStatus: z
    .union([status, z.array(status).min(1).max(50)], {
      error: "must be an HTTP status such as 200, or a list of them",
    })
    .describe("Kind http: the statuses that count as reachable; 200 to 299 if it is left out.")
    .transform((expected) => (typeof expected === "number" ? [expected] : expected))
    .exactOptional(),
});

/** A file or a page: the status alone decides. */
export const http: Kind<never> = {
  description: "a GET must answer as expected.",
  codes: {},
  options,
  content: {},
  isProof: false,
  probe: async (url, given, request) => {
    const { expectStatus } = options.parse(given);
    const { classification } = await request(new URL(url), (answer) => classifyStatus(answer, expectStatus));
    return classification;
  },
};
