import { quote } from "../text/quote.ts";
import type { JsonPath } from "./json.ts";
import type { Config } from "./schema.ts";

/** A warning about a control in a valid mirrors.json. */
export interface ControlWarning {
  readonly path: JsonPath;
  readonly message: string;
}

/** Returns a warning for each control that a captive portal could answer instead. */
export function controlWarnings({ probe }: Config): ControlWarning[] {
  return probe.control.flatMap((control, index): ControlWarning[] => {
    const path = ["probe", "control", index];
    const { url, text } = typeof control === "string" ? { url: control, text: undefined } : control;
    if (text === undefined) {
      if (new URL(url).protocol === "https:") return [];
      const message = `${quote(url)} proves nothing over HTTP without a text, since a captive portal answers too; use HTTPS, or write { "url": ${quote(url)}, "text": "a text from the answer" }`;
      return [{ path, message }];
    }
    if (!url.includes(text)) return [];
    const message = `${quote(text)} is also in the URL, which a captive portal may show on its login page; choose another text from the answer`;
    return [{ path: [...path, "text"], message }];
  });
}
