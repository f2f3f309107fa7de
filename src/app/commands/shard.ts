import { InputError } from "../../core/base/errors.ts";
import type { Shard } from "../../core/probe/observation.ts";
import { quote } from "../../core/base/text/quote.ts";
import { parseRunId } from "../../core/command/command.ts";

/**
 * A shard, or `auto` to read it from the CI engine's variables. `auto/3` also gives the number of shards, for which
 * Kubernetes sets no variable.
 */
export type ShardOption = Shard | { readonly index: "auto"; readonly count: number | undefined };

const maxShards = 1000;

/** Parses `2/3` (the second of three shards), `auto` or `auto/3`. Throws InputError. */
export function parseShard(text: string): ShardOption {
  const [, index, auto, digits] = /^(?:(\d{1,4})|(auto))(?:\/(\d{1,4}))?$/.exec(text) ?? [];
  const count = digits === undefined ? undefined : Number(digits);
  const isCount = count !== undefined && count >= 1 && count <= maxShards;
  if (auto !== undefined && (isCount || count === undefined)) return { index: "auto", count };
  if (isCount && index !== undefined && Number(index) >= 1 && Number(index) <= count)
    return { index: Number(index), count };
  throw new InputError(
    `${quote(text)} is not a shard; write 2/3 for the second of three, or auto; the maximum is ${maxShards} shards.`,
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A system that starts identical jobs, and the environment variables that number them. */
interface Engine {
  readonly name: string;
  readonly index: string;
  /** The index of the first job, or the name of the variable that contains this index. */
  readonly first: 0 | 1 | "SLURM_ARRAY_TASK_MIN";
  readonly count?: string;
  /** The variable with an id that all jobs of a run share. A job that is retried gets the same id again. */
  readonly run?: string;
}

/**
 * Sources: https://docs.gitlab.com/ci/variables/predefined_variables/,
 * https://buildkite.com/docs/pipelines/configure/environment-variables, https://circleci.com/docs/reference/variables/,
 * https://slurm.schedmd.com/sbatch.html, https://kubernetes.io/docs/concepts/workloads/controllers/job/.
 */
const engines: readonly Engine[] = [
  { name: "GitLab", index: "CI_NODE_INDEX", first: 1, count: "CI_NODE_TOTAL", run: "CI_PIPELINE_ID" },
  {
    name: "Buildkite",
    index: "BUILDKITE_PARALLEL_JOB",
    first: 0,
    count: "BUILDKITE_PARALLEL_JOB_COUNT",
    run: "BUILDKITE_BUILD_ID",
  },
  {
    name: "CircleCI",
    index: "CIRCLE_NODE_INDEX",
    first: 0,
    count: "CIRCLE_NODE_TOTAL",
    run: "CIRCLE_PIPELINE_ID",
  },
  {
    name: "Slurm",
    index: "SLURM_ARRAY_TASK_ID",
    first: "SLURM_ARRAY_TASK_MIN",
    count: "SLURM_ARRAY_TASK_COUNT",
    run: "SLURM_ARRAY_JOB_ID",
  },
  { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", first: 0 },
];

const remedy = "write the shard yourself, such as 2/3 for the second of three";

/**
 * Returns the shard and the run id. `auto` reads both from the environment variables of the engine that started this
 * job. Throws InputError if variables are missing or contradict each other.
 */
export function resolveShard(
  option: ShardOption | undefined,
  run: string | undefined,
  environment: Environment,
): { shard: Shard | undefined; run: string | undefined } {
  if (option?.index !== "auto") return { shard: option, run };
  const found = engines.flatMap((engine) => {
    const shard = shardOf(engine, option.count, environment);
    return shard === undefined ? [] : [{ engine, shard }];
  });
  // GitLab sets a count of 1 in every job without `parallel`, so another engine's variables take precedence.
  const parallel = found.filter(({ engine }) => isSet(environment[engine.index]));
  const [first, ...others] = parallel.length === 0 ? found : parallel;
  if (first === undefined) {
    const names = engines.map(({ index }) => index).join(", ");
    throw new InputError(`--shard auto: none of ${names} is set; ${remedy}.`);
  }
  const { engine, shard } = first;
  if (option.count !== undefined && shard.count !== option.count)
    throw new InputError(
      `--shard auto/${option.count}: ${engine.count ?? engine.name} is ${shard.count}; make the two numbers equal.`,
    );
  for (const other of others) {
    if (other.shard.index === shard.index && other.shard.count === shard.count) continue;
    throw new InputError(
      `--shard auto: ${engine.index} says ${text(shard)} and ${other.engine.index} says ${text(other.shard)}; ${remedy}.`,
    );
  }
  return { shard, run: run ?? runOf(engine, environment) };
}

function shardOf(engine: Engine, given: number | undefined, environment: Environment): Shard | undefined {
  const { name, index, first, count } = engine;
  const hasIndex = isSet(environment[index]);
  if (!hasIndex && (count === undefined || !isSet(environment[count]))) return undefined;
  const total = count === undefined ? given : readNumber(count, index, environment);
  if (total === undefined) {
    throw new InputError(
      `--shard auto: ${index} is set, but ${name} does not set the number of jobs; add it, as in auto/3.`,
    );
  }
  if (!hasIndex && index === "CI_NODE_INDEX" && total === 1) return { index: 1, count: 1 };
  const position =
    first === "SLURM_ARRAY_TASK_MIN"
      ? positionInArray(total, environment)
      : readNumber(index, count ?? index, environment) - first;
  if (position < 0 || position >= total || !Number.isInteger(position) || total > maxShards) {
    throw new InputError(
      `--shard auto: ${index} is ${environment[index]}, which is not a valid index for ${total} jobs (at most ${maxShards} are allowed); ${remedy}.`,
    );
  }
  return { index: position + 1, count: total };
}

/** Returns the zero-based position of a task in a Slurm job array. Throws InputError if the array has gaps. */
function positionInArray(total: number, environment: Environment): number {
  const read = (name: string): number => readNumber(name, "SLURM_ARRAY_TASK_COUNT", environment);
  const min = read("SLURM_ARRAY_TASK_MIN");
  const max = read("SLURM_ARRAY_TASK_MAX");
  const step = read("SLURM_ARRAY_TASK_STEP");
  if (max !== min + (total - 1) * step) {
    throw new InputError(
      `--shard auto: the Slurm array has gaps (${total} tasks from ${min} to ${max} in steps of ${step}); submit it with --array=1-${total}.`,
    );
  }
  return (read("SLURM_ARRAY_TASK_ID") - min) / step;
}

function runOf({ name, run }: Engine, environment: Environment): string {
  const id = run === undefined ? undefined : environment[run];
  if (isSet(id)) return parseRunId(id);
  throw new InputError(
    `--shard auto: ${run === undefined ? `${name} sets no run id` : `${run} is not set`}; give all shards the same --run-id.`,
  );
}

/**
 * Returns the number in the variable `name`, which must be set because the variable `other` is set. Throws InputError
 * if `name` is not set, or is not a number.
 */
function readNumber(name: string, other: string, environment: Environment): number {
  const value = environment[name];
  if (!isSet(value)) throw new InputError(`--shard auto: ${other} is set, but ${name} is not; ${remedy}.`);
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InputError(`--shard auto: ${name} is ${quote(value)}, which is not a number; ${remedy}.`);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function text({ index, count }: Shard): string {
  return `${index}/${count}`;
}
