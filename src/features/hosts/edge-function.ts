import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { errorDocuments, jsonText } from "../../core/contract/contract.ts";

// JavaScript that the edge functions of several hosts share.

export const intro = `// Serves the status API from the files of a mirrorfeed site. No names are listed here: a system, project or target
// exists if its index.json does.`;

/** JavaScript that defines the names of the levels, and the contract's errors by name. */
export const tables = `const levels = ["system", "project", "target"];
const errors = {
${Object.entries(errorDocuments)
  .map(([name, document]) => {
    return `  ${JSON.stringify(name)}: { status: ${document.code}, body: ${JSON.stringify(jsonText(document))} },\n`;
  })
  .join("")}};`;

/** JavaScript that opens an `if` block. The block runs if `names` can be the path of a document. */
export const ifValidNames = `  const isStatus = names.length === 4 && (names[3] === "0" || names[3] === "1");
  const parents = names.slice(0, levels.length);
  if (parents.every(isName) && (names.length < 4 || isStatus)) {`;

/** Checks whether a decoded path segment can be a name. */
export const isName = `function isName(text) {
  return text.length <= ${nameLength} && /${namePattern}/.test(text) && !text.startsWith("index.");
}`;

export const decode = `// Decodes percent-encoding once. A malformed segment stays unchanged: its percent sign makes it an invalid name.
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}`;
