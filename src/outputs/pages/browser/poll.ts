const timeoutMs = 30_000;

/** Takes the new text of a document, and returns whether it was usable. */
type Take = (text: string) => boolean | Promise<boolean>;

/**
 * Returns a function that fetches a document again. The host is asked each time, but a document that has not changed is
 * neither read nor taken. Returns whether it is known now.
 */
export function pollDocument(path: string, take: Take): () => Promise<boolean> {
  let knownTag: string | null = null;
  let knownText: string | undefined;
  return async () => {
    try {
      const response = await fetch(path, { cache: "no-cache", signal: AbortSignal.timeout(timeoutMs) });
      if (!response.ok) return false;
      const tag = response.headers.get("etag");
      if (tag !== null && tag === knownTag) {
        await response.body?.cancel();
        return true;
      }
      const text = await response.text();
      // A login page in its place is not remembered.
      if (text !== knownText && !(await take(text))) return false;
      knownTag = tag;
      knownText = text;
      return true;
    } catch {
      // It is fetched again later, whatever the reason.
      return false;
    }
  };
}
