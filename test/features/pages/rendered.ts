import type { FeedNode } from "../../../src/core/feed/feed-node.ts";
import { type Feed, type Target, targetsOf } from "../../../src/core/feed/feed.ts";
import { renderPages } from "../../../src/features/pages/pages.tsx";
import { textOf } from "../../support/text-of.ts";

/** Returns a file of the pages, or an empty string if there is none. */
export function pageOf({ feed }: { readonly feed: Feed }, path: string): string {
  return textOf(renderPages(feed).find((file) => file.path === path));
}

/** Returns the first section of this class, or an empty string if there is none. */
export function sectionOf(html: string, name: string): string {
  return new RegExp(`<section class="?${name}\\b.*?</section>`, "s").exec(html)?.[0] ?? "";
}

export function visibleText(html: string): string {
  return html
    .replace(/<wbr\/?>/g, "")
    .replace(/<(?:style|title)[^]*?<\/(?:style|title)>|<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");
}

/** Returns the first target of a feed and its first mirror. */
export function firstOf({ systems }: Feed): { readonly target: Target; readonly node: FeedNode } {
  const [target] = targetsOf(systems);
  const [node] = target?.nodes ?? [];
  if (target === undefined || node === undefined) throw new Error("A feed has a mirror.");
  return { target, node };
}

/** Returns a feed with other targets. */
export function withTargets(feed: Feed, change: (target: Target) => Target): { readonly feed: Feed } {
  const systems = feed.systems.map((system) => ({
    ...system,
    projects: system.projects.map((project) => ({ ...project, targets: project.targets.map(change) })),
  }));
  return { feed: { ...feed, systems } };
}
