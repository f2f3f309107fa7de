import type { SiteFile } from "../../core/base/files/site-file.ts";
import type { Site } from "../../core/feed/feed.ts";

/** The accent has its own stylesheet, since the pages' Content-Security-Policy forbids inline styles. */
export function siteFiles({ title, accent }: Site): SiteFile[] {
  const icons = [192, 512].map((size) => ({
    src: `assets/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
  }));
  const manifest = { name: title, lang: "en", start_url: "./", display: "browser", icons };
  const files = [{ path: "site.webmanifest", content: `${JSON.stringify(manifest)}\n` }];
  if (accent !== undefined) {
    // Every colour of these lightnesses has a contrast of at least 4.5:1 with the pages' backgrounds.
    const rule = (lightness: string) => `:root{--accent:oklch(from ${accent} ${lightness} c h)}`;
    const rules = `${rule("min(l,0.5)")}@media(prefers-color-scheme:dark){${rule("max(l,0.7)")}}`;
    const content = `@supports(color:oklch(from red l c h)){${rules}}\n`;
    files.push({ path: "assets/site.css", content });
  }
  return files;
}
