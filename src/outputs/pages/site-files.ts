import { accentOf } from "../../config/site.ts";
import type { Config } from "../../config/schema.ts";
import type { SiteFile } from "../../base/files/site-file.ts";

/** Returns the files that all pages of a site share: the web app manifest, and a stylesheet if the operator has an accent. */
export function siteFiles(site: Config["site"]): SiteFile[] {
  return [{ path: "site.webmanifest", content: manifest(site) }, ...style(site)];
}

/** The policy of the pages forbids inline styles, so the accent is a file. */
function style({ accent }: Config["site"]): SiteFile[] {
  if (accent === undefined) return [];
  const { light, dark } = accentOf(accent);
  const content = `:root{--accent:${light}}@media(prefers-color-scheme:dark){:root{--accent:${dark}}}\n`;
  return [{ path: "assets/site.css", content }];
}

function manifest({ title, language }: Config["site"]): string {
  const icons = [192, 512].map((size) => ({
    src: `assets/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
  }));
  const document = { name: title, lang: language, start_url: "./", display: "browser", icons };
  return `${JSON.stringify(document)}\n`;
}
