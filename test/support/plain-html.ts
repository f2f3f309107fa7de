/** Returns HTML of a page with a quote around each value and `<wbr/>` as it was rendered, for patterns that read tags. */
export function plainHtml(html: string): string {
  return html
    .replace(/<[a-z][^>]*>/g, (tag) => tag.replace(/ ([\w-]+)=([^\s"'=<>`]+?)(?=[\s>])/g, ' $1="$2"'))
    .replaceAll("<wbr>", "<wbr/>");
}
