import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

export const workflowsFolder = join(import.meta.dirname, "../../.github/workflows");

export const workflowFiles = readdirSync(workflowsFolder).filter((name) => /\.ya?ml$/.test(name));

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const scalars = z.record(z.string(), scalar).default({});
const permissions = z.record(z.string(), z.enum(["read", "write"]));

const step = z.looseObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: scalars,
  env: scalars,
});

const job = z.looseObject({
  "timeout-minutes": z.number().optional(),
  permissions: permissions.default({}),
  steps: z.array(step),
});

/** The parts of a workflow that tests read. actionlint checks the syntax. */
const workflowSchema = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  permissions: permissions.optional(),
  defaults: z.object({ run: z.object({ shell: z.string() }) }).optional(),
  env: scalars,
  jobs: z.record(z.string(), job),
});

export type Workflow = z.infer<typeof workflowSchema>;
export type Job = z.infer<typeof job>;
export type Step = z.infer<typeof step>;

export function readWorkflow(file: string): string {
  return readFileSync(join(workflowsFolder, file), "utf8");
}

export function parseWorkflow(text: string): Workflow {
  return workflowSchema.parse(parse(text));
}
