import { namePattern } from "../base/text/name.ts";
import { errorDocuments, jsonText } from "../contract/contract.ts";

// The JavaScript that the functions for several hosts share.

/** Returns the errors of the contract as the lines of an object. */
export function errorLines(): string {
  const errors = Object.entries(errorDocuments).map(([name, document]) => {
    return `  ${JSON.stringify(name)}: { status: ${document.code}, body: ${JSON.stringify(jsonText(document))} },\n`;
  });
  return errors.join("");
}

/** Returns whether a decoded segment of a path can be a name. */
export const isName = `function isName(text) {
  return /${namePattern}/.test(text) && !text.startsWith("index.");
}`;

/** Returns a segment of a path without its percent-encoding. */
export const decode = `// Decodes percent-encoding once. A malformed segment stays as it is: no name has a percent sign.
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}`;
