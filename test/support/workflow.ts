import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

export const workflowsFolder = join(import.meta.dirname, "../../.github/workflows");

/** The names of the workflows of this repository. */
export const workflowFiles = readdirSync(workflowsFolder).filter((name) => /\.ya?ml$/.test(name));

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const scalars = z.record(z.string(), scalar).default({});
const permissions = z.record(z.string(), z.enum(["read", "write"]));

const step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  "continue-on-error": z.boolean().default(false),
  with: scalars,
  env: scalars,
});

const job = z.strictObject({
  name: z.string(),
  needs: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  if: z.string().optional(),
  "runs-on": z.string(),
  container: z.strictObject({ image: z.string(), options: z.string() }).optional(),
  "timeout-minutes": z.number().optional(),
  "continue-on-error": z.boolean().default(false),
  permissions: permissions.default({}),
  strategy: z
    .strictObject({
      "fail-fast": z.boolean(),
      matrix: z.record(z.string(), z.array(z.union([scalar, z.record(z.string(), scalar)]))),
    })
    .optional(),
  environment: z.strictObject({ name: z.string(), url: z.string() }).optional(),
  outputs: scalars,
  env: scalars,
  steps: z.array(step),
});

/** The syntax that the workflows here use. Anything that the step runner does not support is refused. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: permissions.optional(),
  concurrency: z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() }),
  defaults: z.strictObject({ run: z.strictObject({ shell: z.literal("bash") }) }).optional(),
  env: scalars,
  jobs: z.record(z.string(), job),
});

export type Workflow = z.infer<typeof workflowSchema>;
export type Job = z.infer<typeof job>;
export type Step = z.infer<typeof step>;

/** Returns the text of a workflow of this repository, by the name of its file. */
export function readWorkflow(file: string): string {
  return readFileSync(join(workflowsFolder, file), "utf8");
}

/** Parses the text of a workflow. Throws if it is not YAML, or uses syntax that is not supported here. */
export function parseWorkflow(text: string): Workflow {
  return workflowSchema.parse(parse(text));
}
