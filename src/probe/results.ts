import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readText } from "../config/load.ts";
import { fingerprint, type NetworkNode } from "../config/nodes.ts";
import { InputError } from "../errors.ts";
import { fileFault } from "../file-errors.ts";
import { jsonValue } from "../json-value.ts";
import { quote } from "../quote.ts";
import { type Results, resultsSchema } from "./observation.ts";

const mostBytes = 64 * 1024 * 1024;

/** Results as the text of a file, one observation a line, so that differences can be read. */
export function formatResults({ controls, observations, ...head }: Results): string {
  const lines = (list: readonly object[]): string =>
    list.length === 0 ? "[]" : `[\n${list.map((item) => JSON.stringify(item)).join(",\n")}\n]`;
  const start = JSON.stringify(head).slice(0, -1);
  return `${start},\n"controls":${lines(controls)},\n"observations":${lines(observations)}}\n`;
}

/**
 * Writes results as a file, whole or not at all; its folder is made where it is missing. Throws InputError where that
 * cannot be.
 */
export async function saveResults(file: string, results: Results): Promise<void> {
  try {
    // Not the one that promises: it takes a full disk for a folder that is missing.
    mkdirSync(dirname(file), { recursive: true });
    await replace(file, formatResults(results));
  } catch (error) {
    throw fileFault(error, `${file} cannot be written`, "name another file with --results") ?? error;
  }
}

async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * The results in a file, of these nodes. Throws InputError where it cannot be read, is not of this version, or was
 * made from another configuration.
 */
export async function loadResults(file: string, nodes: readonly NetworkNode[]): Promise<Results> {
  const text = await readText(file, mostBytes, "write it with mirrorfeed probe --results");
  return parseResults(text, file, nodes);
}

/** The results in a text; `file` is its name in messages. Throws as `loadResults` does. */
export function parseResults(text: string, file: string, nodes: readonly NetworkNode[]): Results {
  const value = jsonValue(text);
  if (value === undefined) {
    throw new InputError(
      `${file} is not JSON, perhaps cut off; write it again with mirrorfeed probe --results.`,
    );
  }
  const version = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
  if (typeof version === "number" && version > 1) {
    throw new InputError(`${file} was written by a newer mirrorfeed (schema ${version}); update this one.`);
  }
  const parsed = resultsSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined ? "" : ` at ${quote(issue.path.join("."))}: ${quote(issue.message)}`;
    throw new InputError(
      `${file} does not hold results${place}; write it again with mirrorfeed probe --results.`,
    );
  }
  const results = parsed.data;
  if (results.config !== fingerprint(nodes)) {
    throw new InputError(
      `${file} was probed with another mirrors.json; run mirrorfeed probe again with this one.`,
    );
  }
  const known = new Set(nodes.map(({ id }) => id));
  const foreign = results.observations.find(({ id }) => !known.delete(id));
  if (foreign !== undefined) {
    throw new InputError(
      `${file} observes node ${foreign.id} twice or without reason; run mirrorfeed probe again.`,
    );
  }
  return results;
}
