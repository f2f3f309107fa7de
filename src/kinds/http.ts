import * as z from "zod";
import { classifyStatus } from "./classification.ts";
import { classifyContent, contentSchema, inspectContent } from "./http-content.ts";
import type { Kind } from "./kind.ts";
import { metalink4 } from "./metalink4.ts";

type OwnCode = "wrong_content";

const status = z.int().min(100).max(599);

const options = z.object({
  expectStatus: z
    .union([status, z.array(status).min(1).max(50)], {
      error: "must be an HTTP status such as 200, or a list of them",
    })
    .describe("The statuses that count as reachable (default: 200 to 299).")
    .meta({ examples: [[200, 403]] })
    .transform((expected) => (typeof expected === "number" ? [expected] : expected))
    .exactOptional(),
  content: contentSchema
    .describe("What proves that the content is right.")
    .meta({ examples: [{ sha256: "reference" }] })
    .exactOptional(),
});

/** A file or a page: its status decides, and its content if `content` says what that is. */
export const http: Kind<OwnCode> = {
  description: "a GET must answer as expected.",
  codes: { wrong_content: "Its answer is not the content that it should have." },
  options,
  content: {
    revision: {
      meaning: "the first digits of its SHA-256, or the time of its content",
      example: "9f86d081884c7d659a2feaa0c55ad015",
    },
  },
  isProof: false,
  lists: [metalink4],
  probe: async (url, given, request, context) => {
    const { expectStatus, content } = options.parse(given);
    const { answer, classification } = await request(new URL(url), (answer) => {
      const byStatus = classifyStatus(answer, expectStatus);
      return byStatus.code === "ok" && content ? classifyContent(answer, content) : byStatus;
    });
    if (content === undefined || classification.code !== "ok") return classification;
    const more = await inspectContent(url, answer, content, classification.revision, context);
    return { ...classification, ...more };
  },
};
