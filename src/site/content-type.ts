import { extname } from "node:path";

const types: Readonly<Partial<Record<string, string>>> = {
  atom: "application/atom+xml",
  conf: "text/plain; charset=UTF-8",
  css: "text/css; charset=UTF-8",
  gif: "image/gif",
  html: "text/html; charset=UTF-8",
  ico: "image/x-icon",
  ics: "text/calendar; charset=UTF-8",
  ini: "text/plain; charset=UTF-8",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=UTF-8",
  // JSON has no charset (RFC 8259, section 11).
  json: "application/json",
  list: "text/plain; charset=UTF-8",
  map: "application/json",
  meta4: "application/metalink4+xml",
  metalink: "application/metalink+xml",
  mjs: "text/javascript; charset=UTF-8",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=UTF-8",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "text/xml; charset=UTF-8",
};

/** Returns the media type of a file by the extension of its name. */
export function contentType(path: string): string {
  return types[extname(path).slice(1).toLowerCase()] ?? "application/octet-stream";
}
