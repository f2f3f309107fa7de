import { all, first } from "../../pages/browser/elements.ts";
import { addFilter } from "../../pages/browser/filter.ts";

function addSearch(): void {
  const contents = first(".docs-contents");
  if (contents === undefined) return;
  const groups = all(".docs-body > section, .docs-body article:has(tbody)");
  const items = all(".docs-body tbody tr, .docs-body article:not(:has(tbody)), .docs-names > div");
  // A section without items, such as “How old the feed is”, is an item itself.
  items.push(...groups.filter((group) => !items.some((element) => group.contains(element))));
  const texts = new Map(items.map((element) => [element, textOf(element)]));
  addFilter(contents, {
    label: "Find operations, fields and errors",
    placeholder: "Search the API",
    elements: () => items,
    groups: () => groups,
    textOf: (element) => texts.get(element) ?? "",
    count: (shown, all) => `${shown} of ${all} entries`,
    changed: (isFiltered) => {
      for (const details of all(".docs-body details:has(tbody)")) details.toggleAttribute("open", isFiltered);
      for (const link of all(".docs-contents a")) {
        const target = document.getElementById(link.getAttribute("href")?.slice(1) ?? "");
        const entry = link.closest("li");
        if (entry !== null) entry.hidden = target?.closest("[hidden]") != null;
      }
    },
  });
}

/** Returns an element's text for the search, without examples. A field's text includes the name of its schema. */
function textOf(element: HTMLElement): string {
  const copy = element.cloneNode(true);
  if (copy instanceof HTMLElement)
    for (const example of copy.querySelectorAll(".docs-example, .docs-body-text")) example.remove();
  const schema = element.tagName === "TR" ? element.closest("article")?.querySelector("h3")?.textContent : "";
  return `${schema ?? ""} ${copy.textContent ?? ""}`;
}

/** The current heading is the last one that begins above this share of the window's height. */
const upper = 0.12;

function markCurrent(): void {
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
    // Where the table of contents is above the text instead of beside it, scrollIntoView() would also scroll the page.
    if (entry !== undefined && contents.scrollHeight > contents.clientHeight)
      contents.scrollTop = entry.offsetTop - contents.offsetTop - contents.clientHeight / 2;
  };
  const observer = new IntersectionObserver(update, { rootMargin: `0px 0px -${100 - 100 * upper}% 0px` });
  for (const heading of headings) observer.observe(heading);
  update();
}

/** Unfolds the section that a link leads to. */
function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  const details = target?.closest("details");
  if (!details || details.open) return;
  details.open = true;
  target?.scrollIntoView();
}

// The script of the API reference. Without JavaScript, the page lacks only its search.
addSearch();
markCurrent();
addEventListener("hashchange", openTarget);
openTarget();
