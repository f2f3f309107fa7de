import { nameLength, namePattern } from "../base/text/name.ts";
import { errorDocuments, jsonText } from "../contract/contract.ts";

// The JavaScript that the functions for several hosts share.

export const intro = `// The contract of the status API, answered from the files of a mirrorfeed site. It lists no names: a system, project or
// target is known if its index.json exists.`;

/** The levels, and the errors of the contract by their names. */
export const tables = `const levels = ["system", "project", "target"];
const errors = {
${Object.entries(errorDocuments)
  .map(([name, document]) => {
    return `  ${JSON.stringify(name)}: { status: ${document.code}, body: ${JSON.stringify(jsonText(document))} },\n`;
  })
  .join("")}};`;

/** Decides whether a document may have these names. */
export const ifValidNames = `  const isStatus = names.length === 4 && (names[3] === "0" || names[3] === "1");
  const parents = names.slice(0, levels.length);
  if (parents.every(isName) && (names.length < 4 || isStatus)) {`;

/** Returns whether a decoded segment of a path can be a name. */
export const isName = `function isName(text) {
  return text.length <= ${nameLength} && /${namePattern}/.test(text) && !text.startsWith("index.");
}`;

export const decode = `// Decodes percent-encoding once. A malformed segment stays as it is: no name has a percent sign.
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}`;
