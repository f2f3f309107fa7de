import * as z from "zod";
import { timestamp } from "../../core/feed/fields.ts";

const item = z.strictObject({
  id: z.string().describe("A permanent id, the same as in the Atom feed."),
  url: z
    .url()
    .optional()
    .describe("The page of the target or notice, or the mirror's URL if the site's URL is unknown."),
  title: z.string(),
  content_text: z.string().describe("The change in a sentence, or the operator's notice in Markdown."),
  date_published: timestamp,
  tags: z
    .array(z.string())
    .optional()
    .describe("The topic: freshness, certificate, incident or announcement. Status changes have no tags."),
  _mirrorfeed: z
    .record(z.string(), z.unknown())
    .describe(
      "The change as data, one of: a node's new status and its reason; a tag that moved or vanished in the reference (if it vanished, `to` is absent); a node's new freshness; a change to a node's certificate; an operator's notice or an update to it.",
    ),
});

/** https://jsonfeed.org/version/1.1 */
export const jsonFeedSchema = z
  .strictObject({
    version: z.literal("https://jsonfeed.org/version/1.1"),
    title: z.string(),
    home_page_url: z.url().optional(),
    feed_url: z.url().optional(),
    authors: z.array(z.strictObject({ name: z.string() })),
    language: z.literal("en"),
    items: z.array(item).describe("The changes, newest first."),
  })
  .meta({ title: "JSON Feed" });

export type JsonFeed = z.infer<typeof jsonFeedSchema>;
