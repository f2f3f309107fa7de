import { hash } from "node:crypto";
import { defaultRefs } from "../kinds/git-refs.ts";
import type { Node } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import { answersAfter } from "./ancestry-answers.ts";
import { compare } from "./compare.ts";
import { differenceOf } from "./difference.ts";
import { judge, judgeAlone } from "./freshness.ts";
import { isAlone, withTaken } from "./primary-alone.ts";
import { leadOf, moveReference } from "./reference.ts";
import type { Round } from "./round.ts";
import type { NodeContent } from "./content-schema.ts";
import type { Reference } from "./reference-schema.ts";
import type { NodeState } from "./state-schema.ts";
import { mainName, patternsOf, prevailing, type Shown, shownIn, valueOf } from "./shown.ts";

/** A node before a run, and what the run's locations observed. */
export interface ObservedNode {
  readonly node: Node;
  readonly before: NodeState | undefined;
  readonly seen: readonly Observation[];
}

export interface ContentRun extends Pick<Round, "refs" | "history"> {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The time of the run before, or `at` in the first run. */
  readonly lastRun: number;
}

/** Returns a target's reference and the content of its mirrors, by id, after a run. All `nodes` belong to the target. */
export function contentsAfter(
  nodes: readonly ObservedNode[],
  known: Reference | undefined,
  { history: histories, ...run }: ContentRun,
): { readonly reference: Reference | undefined; readonly contents: ReadonlyMap<number, NodeContent> } {
  const primary = nodes.find(({ node }) => node.primary)?.node;
  const patterns = comparedRefs(primary ?? nodes[0]?.node);
  const history = histories?.[nodes[0]?.node.place ?? ""];
  const answered = nodes.flatMap((one): AnsweredNode[] => {
    const good = prevailing(one.seen);
    return good === undefined ? [] : [{ ...one, good, shown: shownIn(good, one.node, run.refs, run.at) }];
  });
  const others = answered.filter(({ node }) => !node.primary);
  const shown = new Map(answered.map((one) => [one.node.id, one.shown]));
  const lead = leadOf(shown, { primary: primary?.id, size: nodes.length }, known);
  const refsOf = hash("sha256", JSON.stringify([primary?.id ?? null, patterns])).slice(0, 16);
  const moved = lead === undefined ? known : moveReference(known, lead, run.at, refsOf);
  const reference = moved && withTaken({ ...moved, answers: answersAfter(moved, history) }, others);
  const isLone =
    shown.has(primary?.id ?? 0) &&
    reference !== undefined &&
    isAlone(
      others.map((one) => one.shown),
      reference,
      history,
    );
  const isLed = lead !== undefined && !isLone;
  const seenContents = new Map(
    answered.map((one): [Node, NodeContent] => {
      const hasRefs = patterns !== '"HEAD"' && comparedRefs(one.node) === patterns;
      const target = { ...run, history, reference, isLed, isAlone: isLone && one.node.primary, hasRefs };
      return [one.node, seenContent(one, target)];
    }),
  );
  const contents = nodes.map((one): [number, NodeContent] => {
    const content = seenContents.get(one.node);
    const own = content ?? (one.before === undefined ? {} : unseenContent(one.before, run.lastRun));
    return [one.node.id, { ...own, tls_expires_at: certificateEnd(one, content !== undefined) }];
  });
  return { reference, contents: new Map(contents) };
}

function comparedRefs(node: Node | undefined): string {
  return JSON.stringify(node === undefined ? defaultRefs : patternsOf(node));
}

interface AnsweredNode extends ObservedNode {
  readonly good: Observation;
  readonly shown: Shown;
}

interface TargetRun extends Pick<ContentRun, "at" | "lastRun"> {
  readonly history: NonNullable<Round["history"]>[string] | undefined;
  readonly reference: Reference | undefined;
  /** Whether the run saw the reference, and the primary does not stand alone. */
  readonly isLed: boolean;
  /** Whether the mirror is a primary that stands alone. */
  readonly isAlone: boolean;
  /** Whether the mirror's refs are compared, not only the reference's branch. */
  readonly hasRefs: boolean;
}

/** The verdict stays until the next good answer. */
function unseenContent(before: NodeContent, lastRun: number): NodeContent {
  return { ...before, unseen_since: before.unseen_since ?? lastRun };
}

function seenContent(
  answered: AnsweredNode,
  { at, lastRun, history, reference, isLed, isAlone: isLone, hasRefs }: TargetRun,
): NodeContent {
  const { node, before, good, shown } = answered;
  const own = ownContent(answered, hasRefs, at);
  if (reference === undefined) return { ...own, content_since: wrongSince(own, before, at) };
  const name = mainName(reference.branch);
  const value = valueOf(shown, name);
  const isSame = value === (before?.main ?? before?.revision);
  const mainSince = (isSame ? before?.main_since : undefined) ?? at;
  // A mirror that was in sync has been behind only since then, however long it has had its content.
  const placedSince = before?.freshness === "in_sync" ? at : mainSince;
  const comparison = compare({ shown, before, mainSince: placedSince, reference, history, hasRefs, at });
  const main = value === own.revision ? undefined : value;
  const isUnread = hasRefs && shown.refs === undefined && reference.refs !== undefined;
  // The branch is in sync, and the other refs could not be read this time. This is no answer about the content.
  if (isUnread && before?.freshness !== undefined && comparison.isProved && comparison.lacks.length === 0) {
    const kept = {
      ...unseenContent(before, lastRun),
      ...own,
      refs: before.refs,
      main,
      main_since: mainSince,
    };
    return { ...kept, content_since: wrongSince(kept, before, at) };
  }
  const lastSeen = before?.unseen_since ?? lastRun;
  const isUnmoved =
    hasRefs && good.refs !== undefined ? good.refs === before?.refs : own.revision === before?.revision;
  const { graceMs } = node.freshness;
  const run = { at, lastSeen, isLed, isUnmoved, reference, shown, graceMs };
  const judged = {
    ...own,
    refs: hasRefs ? good.refs : undefined,
    main,
    main_since: mainSince,
    difference: hasRefs ? differenceOf(shown.refs, reference.refs) : undefined,
    ...(isLone ? judgeAlone(before, { name, value: value ?? "" }, run) : judge(before, comparison, run)),
  };
  return { ...judged, content_since: wrongSince(judged, before, at) };
}

/** Returns what a mirror's answers say without a comparison. */
function ownContent({ before, seen, good }: AnsweredNode, hasRefs: boolean, at: number): NodeContent {
  const { revision, branch = "", refs_unread, content_at, content_code } = good;
  const proof = proofAfter(before?.proof, seen, revision, at);
  const { failed = 0, timed_out = 0 } = proof ?? {};
  const isFailing = failed >= 2 || failed + timed_out >= 3;
  return {
    revision,
    branch: revision === undefined ? undefined : branch,
    refs_unread: hasRefs ? refs_unread : undefined,
    content_at: content_at === undefined ? undefined : Date.parse(content_at),
    content_code: content_code ?? (isFailing ? "no_fetch" : undefined),
    proof,
  };
}

/** One failure may be a blip, and only an answer breaks a row of failures. */
function proofAfter(
  before: NodeContent["proof"],
  seen: readonly Observation[],
  revision = "",
  at: number,
): NodeContent["proof"] {
  const results = seen.flatMap(({ fetched }) => fetched ?? []);
  if (results.length === 0) return before;
  const proof = { at, revision: revision.slice(0, 16).padEnd(16, "0") };
  if (results.includes("ok")) return proof;
  const { failed = 0, timed_out = 0 } = before ?? {};
  return results.includes("failed")
    ? { ...proof, failed: Math.min(failed + 1, 1000), timed_out: timed_out || undefined }
    : { ...proof, failed: failed || undefined, timed_out: Math.min(timed_out + 1, 1000) };
}

/** Returns when the content became wrong in the way it is now. */
function wrongSince(content: NodeContent, before: NodeContent | undefined, at: number): number | undefined {
  const { content_code, differs, apart } = content;
  if (content_code === undefined) return differs === true ? (apart?.[0] ?? at) : undefined;
  return content_code === before?.content_code ? before.content_since : at;
}

/** Returns when a mirror's certificate expires, as of its last answer. */
function certificateEnd({ node, before, seen }: ObservedNode, hasAnswered: boolean): number | undefined {
  const expiry = seen.find(({ tls_expires_at }) => tls_expires_at !== undefined)?.tls_expires_at;
  if (expiry !== undefined) return Date.parse(expiry);
  // A mirror with an http: URL has a certificate only while it redirects to https:. So its earlier certificate is
  // dropped when it answers without one.
  return hasAnswered && node.url.startsWith("http:") ? undefined : before?.tls_expires_at;
}
