import { errorDocuments, jsonText } from "../hosts/contract.ts";
import type { SiteFile } from "../files/site-file.ts";

/** Returns the error documents, which hosts send as the bodies of errors. */
export function renderErrors(): SiteFile[] {
  return Object.entries(errorDocuments).map(([name, document]) => ({
    path: `errors/${name}.json`,
    content: jsonText(document),
  }));
}
