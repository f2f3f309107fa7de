import * as z from "zod";
import { classifyStatus, classifyWhole } from "../../../src/core/kinds/mirror-files.ts";
import type { Kind } from "../../../src/core/kinds/kind.ts";

/** The codes that only this kind has. They are public, so never rename them. */
type OwnCode = "not_dated";

/** The options that only this kind has. In mirrors.json, they are in `probe.dated`. */
const options = z.object({
  file: z
    .string()
    .regex(/^[\w./-]{1,100}$/, { error: "must be a path of letters, digits and . _ / -" })
    .describe("The file that contains the date, relative to the URL (default: DATE).")
    .meta({ title: "path", examples: ["project/DATE"] })
    .exactOptional(),
});

/** An example kind: a folder with a file that contains the date of its content. */
export const dated: Kind<OwnCode> = {
  label: "Dated folders",
  description: "the folder must answer, and its file must contain a date.",
  codes: { not_dated: "Its file does not contain a date." },
  options,
  revision: { meaning: "the date of the content", example: "2026-03-08" },
  isProof: true,
  urlProblem: (url) => (url.endsWith("/") ? undefined : "is not a folder; end it with a slash"),
  probe: async (url, given, request) => {
    const { file: name = "DATE" } = options.parse(given);
    const folder = await request(new URL(url), classifyStatus);
    if (folder.code !== "ok") return { code: folder.code };
    // `classifyWhole` waits for the body.
    const { answer, code } = await request(new URL(name, url), classifyWhole);
    if (code !== "ok") return { code };
    const date = /^\d{4}-\d\d-\d\d(?=\n?$)/.exec(answer.body.toString("latin1"))?.[0];
    return date === undefined ? { code: "not_dated" } : { code, revision: date };
  },
};
