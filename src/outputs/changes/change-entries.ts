import { createHash } from "node:crypto";
import { formatDuration } from "../../base/text/duration.ts";
import { printable } from "../../base/text/quote.ts";
import { formatMinute } from "../../base/text/timestamp.ts";
import {
  newestContentChanges,
  newestTransitions,
  type NodeContentChange,
  type NodeTransition,
} from "../../feed/incidents.ts";
import { type Feed, nodesOf, type Notice, type RewrittenTag, type Target } from "../../feed/feed.ts";
import { contentCodes } from "../../kinds/mirror-content.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import type { JsonFeed } from "./change-feed-schema.ts";

/** The maximum of entries in a feed: enough for the start and the end of an outage of 50 mirrors. */
export const maxEntries = 100;

/** The maximum of changes of freshness and certificates among them, so that there is room for those of statuses. */
const maxContentChanges = 50;

/** How much of a notice is in an entry, in characters. Its page has all of it. */
const maxNoticeLength = 2000;

/** An entry of a change feed, as the JSON Feed has it. It never changes. */
export type Entry = JsonFeed["items"][number];

/**
 * Returns the newest entries: the changes of statuses, of freshness and of certificates, the tags of references that were rewritten,
 * and the notices that have begun.
 */
export function entriesOf(feed: Feed, targets: readonly Target[], notices: readonly Notice[]): Entry[] {
  return [
    ...newestTransitions(targets, maxEntries).map((one) => transitionEntry(feed, one)),
    ...targets.flatMap((target) =>
      (target.reference?.rewritten ?? []).map((tag) => rewrittenEntry(feed, target, tag)),
    ),
    ...newestContentChanges(targets, maxContentChanges).map((one) => contentEntry(feed, one)),
    ...notices.flatMap((notice) => noticeEntry(feed, targets, notice)),
  ]
    .sort(({ date_published: one }, { date_published: other }) => Number(one < other) - Number(one > other))
    .slice(0, maxEntries);
}

function transitionEntry(feed: Feed, { node, at, status, code, after_seconds }: NodeTransition): Entry {
  const { system, project, target, place } = node.target;
  const [now, before] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
  const lasted =
    after_seconds === undefined ? "" : `, after ${formatDuration(after_seconds * 1000)} ${before}`;
  return {
    id: nameUuid(["transition", node.id, at, status]),
    // Feed readers need an absolute link. If the site's URL is unknown, only the mirror's is one.
    url: siteAddress(feed, `status/${place}/`) ?? node.url,
    title: status === 1 ? `${node.name} is online` : `${node.name} is offline (${code})`,
    content_text: `${sentenceOf(code)} ${now} since ${formatMinute(at)}${lasted}. A mirror of ${place}: ${node.url}`,
    date_published: at,
    _mirrorfeed: { system, project, target, id: node.id, status, code, after_seconds },
  };
}

function rewrittenEntry(feed: Feed, target: Target, { at, tag, from, to }: RewrittenTag): Entry {
  const { system, project, place, primary, nodes } = target;
  const mirror = nodes.find(({ id }) => id === primary) ?? nodes[0];
  const [event, change] = to === undefined ? ["vanished", "vanished"] : ["moved", `now names ${to}`];
  // XML does not have every character that Git allows.
  const name = printable(tag);
  return {
    id: nameUuid(["rewritten", place, at, tag]),
    url: siteAddress(feed, `status/${place}/`) ?? mirror?.url ?? "",
    title: `${name} of ${place} was rewritten`,
    content_text: `A tag of the reference ${event}: ${name} named ${from} and ${change}, seen at ${formatMinute(at)}.`,
    date_published: at,
    _mirrorfeed: { system, project, target: target.target, rewritten: { tag, from, to } },
  };
}

function contentEntry(feed: Feed, { node, at, code, expires_at }: NodeContentChange): Entry {
  const { system, project, target, place } = node.target;
  const [title, sentence] = contentTexts(node.name, code, expires_at);
  const change = expires_at === undefined ? { freshness: code } : { certificate: code, expires_at };
  return {
    id: nameUuid(["change", node.id, at, code]),
    url: siteAddress(feed, `status/${place}/`) ?? node.url,
    title,
    content_text: `${sentence} Seen at ${formatMinute(at)}. A mirror of ${place}: ${node.url}`,
    date_published: at,
    tags: [expires_at === undefined ? "freshness" : "certificate"],
    _mirrorfeed: { system, project, target, id: node.id, ...change },
  };
}

function contentTexts(
  name: string,
  code: string,
  expiry: string | undefined,
): [title: string, sentence: string] {
  if (expiry !== undefined) {
    return code === "certificate_renewed"
      ? [`The certificate of ${name} was renewed`, `Its certificate is valid until ${formatMinute(expiry)}.`]
      : [`The certificate of ${name} expires soon`, `Its certificate expires at ${formatMinute(expiry)}.`];
  }
  if (code === "in_sync") return [`${name} is in sync`, "Its content is that of the reference."];
  if (code === "behind") return [`${name} is behind`, "It has what the reference had before."];
  if (code === "differs") return [`${name} differs`, "Its content is not that of the reference."];
  const sentence = Object.hasOwn(contentCodes, code) ? sentenceOf(code) : "Its content is not right.";
  return [`The content of ${name} is not right (${code})`, sentence];
}

/** Returns the entry of a notice, or nothing before its time. Without the site's URL it links to a mirror. */
function noticeEntry(feed: Feed, targets: readonly Target[], notice: Notice): Entry[] {
  const { name, title, state, from, to, nodes, markdown } = notice;
  const url = siteAddress(feed, `incidents/${name}/`) ?? [...(nodes ?? []), ...nodesOf(targets)][0]?.url;
  if (from > feed.run.generated_at || url === undefined) return [];
  const until = to === undefined ? "" : ` to ${formatMinute(to)}`;
  const shownState = state === undefined ? "" : ` State: ${state}.`;
  const text = `From ${formatMinute(from)}${until}.${shownState}\n\n${markdown.trim()}`;
  return [
    {
      id: nameUuid(["notice", name]),
      url,
      title,
      content_text: text.length > maxNoticeLength ? `${text.slice(0, maxNoticeLength)}…` : text.trim(),
      date_published: from,
      tags: [nodes === undefined ? "announcement" : "incident"],
      _mirrorfeed: { notice: name, state, from, to },
    },
  ];
}

/** Returns the URL of a path of the site, or undefined if the site's URL is unknown. */
export function siteAddress({ url }: Feed, path: string): string | undefined {
  return url === undefined ? undefined : `${url}/${path}`;
}

/** Returns the URN of a name: a UUID from its hash (RFC 9562, section 5.8), always the same for the same name. */
export function nameUuid(name: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(name)).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const uuid = digest.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return `urn:uuid:${uuid}`;
}
