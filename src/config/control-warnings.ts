import { quote } from "../text/quote.ts";
import type { JsonPath } from "./json.ts";
import type { Config } from "./schema.ts";

/** A warning of mirrors.json: the file is valid, and does not do what one may think. */
export interface ControlWarning {
  readonly path: JsonPath;
  readonly message: string;
}

/** Returns a warning for each control whose answer a captive portal could send in its place. */
export function controlWarnings({ probe }: Config): ControlWarning[] {
  return probe.control.flatMap((control, index): ControlWarning[] => {
    const path = ["probe", "control", index];
    const { url, text } = typeof control === "string" ? { url: control, text: undefined } : control;
    if (text === undefined) {
      if (new URL(url).protocol === "https:") return [];
      const message = `${quote(url)} proves nothing over http without a text, since a captive portal answers too; use https, or write { "url": ${quote(url)}, "text": "a text that the answer holds" }`;
      return [{ path, message }];
    }
    if (!url.includes(text)) return [];
    const message = `${quote(text)} also stands in the url, which a captive portal may show on its login page; choose another text of the answer`;
    return [{ path: [...path, "text"], message }];
  });
}
