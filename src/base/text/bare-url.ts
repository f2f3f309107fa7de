/** Returns a URL without its scheme and without slashes at its end: the name of most mirrors. */
export function bareUrl(url: string): string {
  return url.replace(/^[a-z]+:\/\//, "").replace(/\/+$/, "");
}
