import { hash } from "node:crypto";
import { formatDuration } from "../../core/base/text/time.ts";
import { formatMinute } from "../../core/base/text/timestamp.ts";
import { cut, printable } from "../../core/base/text/quote.ts";
import {
  newestContentChanges,
  newestTransitions,
  type NodeContentChange,
  type NodeTransition,
  type Notice,
} from "../../core/feed/incidents.ts";
import type { Feed, Target } from "../../core/feed/feed.ts";
import { incidentPath, pageUrl, targetPath } from "../../core/feed/page-paths.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { FeedNode, TargetInfo } from "../../core/feed/feed-node.ts";
import * as z from "../../core/base/zod.ts";
import { timestamp } from "../../core/site/report-schema.ts";

/** Enough for an outage of 50 mirrors, because each has two entries: when it goes offline, and when it is back. */
export const maxEntries = 100;

/** A feed contains at most this many changes of freshness and of certificates, so that status changes have room. */
const maxContentChanges = 50;

/** In characters. Longer notices are cut; their page has the full text. */
const maxNoticeLength = 2000;

/** A JSON Feed item, and the source of the Atom entry. It stays the same unless its notice or the configuration changes. */
export type Entry = JsonFeed["items"][number];

export function entriesOf(feed: Feed, targets: readonly Target[], notices: readonly Notice[]): Entry[] {
  return [
    ...newestTransitions(targets, maxEntries).map((one) => transitionEntry(feed, one)),
    ...targets.flatMap((target) => rewrittenEntries(feed, target)),
    ...newestContentChanges(targets, maxContentChanges).map((one) => contentEntry(feed, one)),
    ...notices.flatMap((notice) => noticeEntries(feed, notice)),
  ]
    .sort(({ date_published: one }, { date_published: other }) => Number(one < other) - Number(one > other))
    .slice(0, maxEntries);
}

function transitionEntry(feed: Feed, { node, at, status, code, after_seconds }: NodeTransition): Entry {
  const [now, past] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
  const before = after_seconds === undefined ? "" : `, after ${formatDuration(after_seconds * 1000)} ${past}`;
  return {
    id: entryId(feed, ["transition", node.id, at, status]),
    title: status === 1 ? `${node.name} is online` : `${node.name} is offline (${code})`,
    content_text: `${sentenceOf(code)} ${now} since ${formatMinute(at)}${before}. ${mirrorText(node)}`,
    date_published: at,
    ...aboutTarget(feed, node.target, node.url, { id: node.id, status, code, after_seconds }),
  };
}

function rewrittenEntries(feed: Feed, target: Target): Entry[] {
  const { place, primary, nodes, reference } = target;
  const mirror = nodes.find(({ id }) => id === primary) ?? nodes[0];
  return (reference?.rewritten ?? []).map(({ at, tag, from, to }) => {
    // Git allows characters that XML doesn't.
    const name = printable(tag);
    const change =
      to === undefined
        ? `The reference no longer has ${name}, which pointed to ${from}.`
        : `In the reference, ${name} moved from ${from} to ${to}.`;
    return {
      id: entryId(feed, ["rewritten", place, at, tag]),
      title: `${name} of ${place} was rewritten`,
      content_text: `${change} Seen at ${formatMinute(at)}.`,
      date_published: at,
      ...aboutTarget(feed, target, mirror?.url, { rewritten: { tag, from, to } }),
    };
  });
}

function contentEntry(feed: Feed, { node, at, code, expires_at: expiry }: NodeContentChange): Entry {
  const topic = expiry === undefined ? "freshness" : "certificate";
  const [title, sentence] = contentTexts[code] ?? [`NAME has wrong content (${code})`, sentenceOf(code)];
  const end = expiry === undefined ? "" : ` ${formatMinute(expiry)}.`;
  return {
    id: entryId(feed, ["change", node.id, at, code]),
    title: title.replace("NAME", () => node.name),
    content_text: `${sentence}${end} Seen at ${formatMinute(at)}. ${mirrorText(node)}`,
    date_published: at,
    tags: [topic],
    ...aboutTarget(feed, node.target, node.url, { id: node.id, [topic]: code, expires_at: expiry }),
  };
}

/** By code, for a mirror called NAME. The sentences about certificates end with a time. */
const contentTexts: Readonly<Partial<Record<string, readonly [title: string, sentence: string]>>> = {
  in_sync: ["NAME is in sync", "Its content matches the reference."],
  behind: ["NAME is behind", "It has an older version of the reference's content."],
  differs: ["NAME differs", "Its content doesn't match the reference."],
  certificate_renewed: ["The certificate of NAME was renewed", "Its certificate is valid until"],
  certificate_expires: ["The certificate of NAME expires soon", "Its certificate expires at"],
};

/** Links to the target's page, or to a mirror if the site's URL is unknown. */
function aboutTarget(feed: Feed, info: TargetInfo, mirror: string | undefined, change: object) {
  const { system, project, target } = info;
  const url = pageUrl(feed, targetPath(info)) ?? mirror;
  return { url, _mirrorfeed: { system, project, target, ...change } };
}

function mirrorText({ target, url }: FeedNode): string {
  return `A mirror of ${target.place}: ${url}`;
}

/** Returns the entries for a notice and its updates, except those in the future. */
function noticeEntries(feed: Feed, notice: Notice): Entry[] {
  const { name, title, state, from, to, nodes, updates, markdown } = notice;
  const now = feed.run.generated_at;
  if (from > now) return [];
  const period = `From ${formatMinute(from)}${to === undefined ? "" : ` to ${formatMinute(to)}`}.`;
  // If there are updates, their entries name the state, so this one doesn't.
  const head = state === undefined || updates.length > 0 ? period : `${period} State: ${state}.`;
  const first = {
    id: entryId(feed, ["notice", name]),
    url: pageUrl(feed, incidentPath(name)),
    title,
    content_text: cut(`${head}\n\n${markdown}`.trim(), maxNoticeLength),
    date_published: from,
    tags: [nodes === undefined ? "announcement" : "incident"],
    _mirrorfeed: { notice: name, from, to, state },
  };
  const due = updates.filter(({ at }) => at <= now);
  const later = due.map((update) => ({
    ...first,
    id: entryId(feed, ["update", name, update.at]),
    url: first.url && `${first.url}#${update.at}`,
    title: `${title}: ${update.state ?? "update"}`,
    content_text: cut(update.markdown.trim(), maxNoticeLength),
    date_published: update.at,
    _mirrorfeed: { notice: name, from, to, state: update.state },
  }));
  return [first, ...later];
}

/** Returns a UUID (RFC 9562, section 5.8) that depends on the feed's URL, since feeds can use the same mirror ids. */
export function entryId({ url = "" }: Pick<Feed, "url">, name: readonly (string | number)[]): string {
  const digest = hash("sha256", JSON.stringify([url, ...name]));
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "urn:uuid:$1-$2-8$3-8$4-$5");
}

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
