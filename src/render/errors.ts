import { errorDocuments, jsonText } from "../hosts/contract.ts";
import type { SiteFile } from "../files/site-file.ts";

/** The documents of all errors, for the hosts to answer with. */
export function renderErrors(): SiteFile[] {
  return Object.entries(errorDocuments).map(([name, document]) => ({
    path: `errors/${name}.json`,
    content: jsonText(document),
  }));
}
