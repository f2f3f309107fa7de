import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../errors.ts";
import { readText } from "../files/read-text.ts";
import { workflowPath } from "./workflow-paths.ts";

const maxBytes = 1024 * 1024;

/** Returns the texts of the workflows in the repository at a folder, by path. Throws InputError if one cannot be read. */
export async function loadWorkflows(folder: string): Promise<Map<string, string>> {
  const below = dirname(workflowPath);
  const names = await namesIn(join(folder, below));
  const paths = names.filter((name) => /\.ya?ml$/.test(name)).map((name) => `${below}/${name}`);
  const texts = paths.map(async (path): Promise<[string, string]> => {
    return [path, await readText(join(folder, path), maxBytes, "make it readable")];
  });
  return new Map(await Promise.all(texts));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}
