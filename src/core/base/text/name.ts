import distance from "damerau-levenshtein";
import { quote } from "./quote.ts";

export const namePattern = "^[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?$";
export const nameLength = 100;

export const vantagePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export const runIdPattern = /^[\w.:@/+-]{1,200}$/;

const windowsDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/** Names become folders and parts of URLs, so they must be safe, and distinct where case is ignored. */
export function nameProblem(name: string): string | undefined {
  const valid = toValidName(name);
  return problemOf(name, problemOf(valid) === undefined ? `; write ${quote(valid)}` : "");
}

function toValidName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/^[._-]+|[.-]+$/g, "");
}

function problemOf(name: string, remedy = ""): string | undefined {
  const shown = quote(name);
  if (name === "") return "is empty; give it a name such as packages";
  if (name.length > nameLength) return `is longer than ${nameLength} characters; shorten it`;
  if (name.includes("..") || !new RegExp(namePattern).test(name))
    return `${shown} must contain only a-z, 0-9, ".", "_" and "-", begin with a letter or a digit, and have no dot at the end or next to another${remedy}`;
  if (name.startsWith("index."))
    return `${shown} is reserved for the site's documents; choose a different name`;
  if (windowsDevice.test(name)) return `${shown} is a device name on Windows; choose a different name`;
  return undefined;
}

/** Returns the most similar name that is at most two edits away. Ignores case. */
export function closestName(text: string, names: readonly string[]): string | undefined {
  const maxEdits = Math.min(2, Math.floor(text.length / 3));
  const ranked = names
    .filter((name) => Math.abs(name.length - text.length) <= maxEdits)
    .map((name) => ({ name, edits: distance(text.toLowerCase(), name.toLowerCase()).steps }))
    .filter(({ edits }) => edits <= maxEdits);
  return ranked.sort((left, right) => left.edits - right.edits)[0]?.name;
}
