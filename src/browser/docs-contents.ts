import { all, first } from "./elements.ts";

/** The part of the window, from its top, in which a heading is the current one. */
const upper = 0.12;

/** Marks the entry of the contents whose section is being read, and keeps it in view. */
export function markCurrent(): void {
  const contents = first(".docs-contents");
  const entries = new Map(
    all(".docs-contents a").map((link) => [link.getAttribute("href")?.slice(1) ?? "", link]),
  );
  const headings = all(".docs-body h2, .docs-body h3").filter(({ id }) => entries.has(id));
  if (contents === undefined || headings.length === 0) return;
  let current: HTMLElement | undefined;
  const update = (): void => {
    const read = headings.findLast(
      (heading) =>
        heading.offsetParent !== null && heading.getBoundingClientRect().top <= innerHeight * upper,
    );
    const entry = read && entries.get(read.id);
    if (entry === current) return;
    current?.removeAttribute("aria-current");
    entry?.setAttribute("aria-current", "location");
    current = entry;
    // Not scrollIntoView(), which would also scroll the page if the contents are not beside the text.
    if (entry !== undefined && contents.scrollHeight > contents.clientHeight)
      contents.scrollTop = entry.offsetTop - contents.offsetTop - contents.clientHeight / 2;
  };
  const observer = new IntersectionObserver(update, { rootMargin: `0px 0px -${100 - 100 * upper}% 0px` });
  for (const heading of headings) observer.observe(heading);
  update();
}
