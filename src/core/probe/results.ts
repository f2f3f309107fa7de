import { basename, dirname } from "node:path";
import { fingerprint, type Node } from "../config/nodes.ts";
import { InputError } from "../base/errors.ts";
import { explaining } from "../base/files/system-errors.ts";
import { hourMs } from "../base/text/time.ts";
import { tryParseJson } from "../base/text/json.ts";
import { quote } from "../base/text/quote.ts";
import { parseRefSet, refSetDigest } from "./ref-set.ts";
import { type Results, resultsSchema } from "./observation.ts";
import { makeFolder } from "../base/files/folders.ts";
import { removeLeftovers, replaceFiles } from "../base/files/replace-file.ts";
import { readText } from "../base/files/read-text.ts";

const maxBytes = 64 * 1024 * 1024;

/** Writes a line for each observation, so that diffs are readable. */
export function formatResults({ controls, observations, refs, ...head }: Results): string {
  const lines = (list: readonly object[]): string =>
    list.length === 0 ? "[]" : `[\n${list.map((item) => JSON.stringify(item)).join(",\n")}\n]`;
  const start = JSON.stringify(head).slice(0, -1);
  const end = refs === undefined ? "" : `,\n"refs":${JSON.stringify(refs)}`;
  return `${start},\n"controls":${lines(controls)},\n"observations":${lines(observations)}${end}}\n`;
}

/** Writes the whole file or nothing. Throws InputError on failure. */
export function saveResults(file: string, results: Results): void {
  explaining(`${file} cannot be written`, "name another file with --results", () => {
    makeFolder(dirname(file));
    removeLeftovers(dirname(file), `${basename(file)}.`, hourMs);
    replaceFiles([{ file, content: formatResults(results) }]);
  });
}

/** Throws InputError if the file cannot be read, or is from a different version or configuration. */
export async function loadResults(file: string, nodes: readonly Node[]): Promise<Results> {
  const text = await readText(file, maxBytes, "write it with mirrorfeed probe --results");
  return parseResults(text, file, nodes);
}

export function parseResults(text: string, file: string, nodes: readonly Node[]): Results {
  const again = "run mirrorfeed probe --results again";
  const parsed = resultsSchema.safeParse(tryParseJson(text));
  if (!parsed.success) {
    const { path = [], message = "" } = parsed.error.issues[0] ?? {};
    const place = quote(path.join(".") || "the top level");
    throw new InputError(`${file} is not a valid results file at ${place}: ${quote(message)}; ${again}.`);
  }
  const results = parsed.data;
  if (results.config !== fingerprint(nodes)) {
    throw new InputError(`${file} was made with a different mirrors.json; ${again} with this one.`);
  }
  const wrong = Object.entries(results.refs ?? {}).find(
    ([digest, text]) => refSetDigest(text) !== digest || parseRefSet(text) === undefined,
  );
  if (wrong !== undefined)
    throw new InputError(`${file} has refs that do not match their digest ${wrong[0]}; ${again}.`);
  const known = new Set(nodes.map(({ id }) => id));
  const foreign = results.observations.find(({ id }) => !known.delete(id));
  if (foreign !== undefined)
    throw new InputError(`${file} has a duplicate or unknown mirror, ${foreign.id}; ${again}.`);
  return results;
}
