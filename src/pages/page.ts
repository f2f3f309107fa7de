import type { ComponentChildren } from "preact";
import type { SitePage } from "./links.ts";
import type { PageState } from "./page-state.ts";

export interface Page {
  readonly feed: SitePage;
  /** The subject of the page, which precedes the site's title. The overview has none. */
  readonly title?: string | undefined;
  /** The description for search engines and link previews. */
  readonly description?: string | undefined;
  /** The state of the page's mirrors, which its title and its icon show. */
  readonly state?: PageState | undefined;
  /** When the statuses expire (ISO 8601). Only the overview has this. */
  readonly expiresAt?: string | undefined;
  /** Whether the page shows statuses but not the time of their run. The script then reads that time from the heartbeat. */
  readonly hasStatuses?: boolean | undefined;
  /** Elements for `<head>`, such as links to the feeds of the page. */
  readonly head?: ComponentChildren;
  /** The content of `<main>`, with its `<h1>`. */
  readonly children: ComponentChildren;
}
