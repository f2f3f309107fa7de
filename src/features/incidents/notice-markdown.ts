import MarkdownIt from "markdown-it";
import type { NoticeFile } from "../../core/config/notice.ts";
import type { NoticeText } from "../../core/feed/incidents.ts";

/** Allows http:, https:, mailto: and relative links. Others, such as javascript:, could run code. */
const safeLink = /^(?:https?:|mailto:|[^:]*(?:[/?#]|$))/i;

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = (url) => safeLink.test(url.trim());

/**
 * Renders CommonMark and Markdown tables as HTML that a strict Content-Security-Policy allows. HTML in the text is
 * shown as text, and pictures become links. Links are `noreferrer nofollow`. Headings start at level `first` and skip
 * no level.
 */
export function renderMarkdown(text: string, first = 2): string {
  const tokens = markdown.parse(text, {});
  const levels = tokens.filter(({ type }) => type === "heading_open").map(levelOf);
  const top = Math.min(...levels);
  let heading = first - 1;
  for (const token of tokens) {
    if (token.type === "heading_open") heading = Math.min(levelOf(token) - top + first, heading + 1, 6);
    if (token.type === "heading_open" || token.type === "heading_close") token.tag = `h${heading}`;
    // Aligned columns would need inline styles.
    if (token.type === "th_open" || token.type === "td_open") token.attrs = null;
    let depth = 0;
    for (const child of token.children ?? []) {
      if (child.type === "link_open") {
        depth += 1;
        child.attrSet("rel", "noreferrer nofollow");
      }
      if (child.type === "link_close") depth -= 1;
      if (child.type === "image" && depth > 0) child.type = "text_of_image";
    }
  }
  return markdown.renderer.render(tokens, markdown.options, {});
}

/** Adds the HTML of a notice and its updates. An update's headings start at level 4, below its own `<h3>`. */
export function withHtml(notice: NoticeFile): NoticeText {
  const updates = notice.updates.map((update) => ({ ...update, html: renderMarkdown(update.markdown, 4) }));
  return { ...notice, html: renderMarkdown(notice.markdown), updates };
}

function levelOf({ tag }: { readonly tag: string }): number {
  return Number(tag.slice(1));
}

markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const url = String(token?.attrGet("src") ?? "");
  const text = markdown.utils.escapeHtml(token?.content || url);
  return `<a href="${markdown.utils.escapeHtml(url)}" rel="noreferrer nofollow">${text}</a>`;
};
markdown.renderer.rules["text_of_image"] = (tokens, index) =>
  markdown.utils.escapeHtml(tokens[index]?.content ?? "");
