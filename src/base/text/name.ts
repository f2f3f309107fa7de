import { hasInvisible, quote } from "./quote.ts";

/** The names that become folders of the site: the same on every file system and every host. */
export const namePattern = "^[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?$";
export const nameLength = 100;

export const labelLength = 200;

const windowsDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/**
 * Returns what is wrong with the name of a system, project or target, or undefined. A name is a folder and a part of a
 * URL. So it must be safe, and distinct on file systems that ignore case and on Windows. A suggested name is always
 * valid.
 */
export function nameProblem(name: string): string | undefined {
  const valid = toValidName(name);
  return problemOf(name, problemOf(valid) === undefined ? `; write ${quote(valid)}` : "");
}

/** Returns the text in lower case, with a hyphen for each run of characters that a name may not hold. */
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
  if (/[A-Z]/.test(name)) {
    return `${shown} must be lower case, since some file systems cannot tell the two apart${remedy}`;
  }
  if (name.includes("..")) return `${shown} must not contain two dots in a row; remove one`;
  if (!new RegExp(namePattern).test(name)) {
    return `${shown} may hold only a-z, 0-9, ".", "_" and "-", begins with a letter or a digit and does not end with a dot${remedy}`;
  }
  if (name.startsWith("index.")) return `${shown} is kept for the documents of the site; choose another name`;
  if (windowsDevice.test(name)) return `${shown} is a device name on Windows; choose another name`;
  return undefined;
}

/** Returns what is wrong with a label for people, or undefined. */
export function labelProblem(text: string): string | undefined {
  if (text.trim() === "") return "is empty; write a label, or remove the key to use host and path";
  if (text.length > labelLength) return `is longer than ${labelLength} characters; shorten it`;
  return hasInvisible(text) ? "has control or invisible characters; remove them" : undefined;
}
