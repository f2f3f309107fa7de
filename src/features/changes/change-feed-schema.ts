import * as z from "../../core/base/zod.ts";
import { timestamp } from "../../core/feed/fields.ts";

const item = z.strictObject({
  id: z.string().describe("A permanent id, the same as in the Atom feed."),
  url: z.url().optional().describe("The page of the target or notice, or else the mirror's URL."),
  title: z.string(),
  content_text: z.string().describe("The change in a sentence, or the operator's notice in Markdown."),
  date_published: timestamp,
  tags: z
    .array(z.string())
    .optional()
    .describe("The topic: freshness, certificate, incident or announcement. Status changes have none."),
  _mirrorfeed: z
    .record(z.string(), z.unknown())
    .describe("The change as data: of a status, a freshness, a certificate, a rewritten tag or a notice."),
});

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
