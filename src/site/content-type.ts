import { extname } from "node:path";

const types: Readonly<Partial<Record<string, string>>> = {
  atom: "application/atom+xml",
  css: "text/css; charset=UTF-8",
  gif: "image/gif",
  html: "text/html; charset=UTF-8",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=UTF-8",
  // JSON has no charset (RFC 8259, section 11).
  json: "application/json",
  map: "application/json",
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
