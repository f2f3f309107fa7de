import { hash } from "node:crypto";
import type { Node } from "../config/nodes.ts";
import { defaultRefs } from "../kinds/git-refs.ts";
import type { Observation } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import { compare, type Judged } from "./compare.ts";
import { content, type NodeContent, type Reference } from "./content-schema.ts";
import { judge, judgeAlone } from "./freshness.ts";
import { isAlone, leadOfMost, leadOfPrimary } from "./lead.ts";
import { answersAfter, moveReference, withTaken } from "./reference.ts";
import { shownNames } from "./room.ts";
import type { Round } from "./round.ts";
import { keptId, mainName, patternsOf, prevailing, type Shown, shownIn, valueOf } from "./shown.ts";
import type { NodeState } from "./state-schema.ts";
import { type TargetWarning, targetWarning } from "../kinds/mirror-content.ts";

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
  stored: Reference | undefined,
  { history: histories, refs, ...run }: ContentRun,
) {
  // Without a revision, a reference only has what the settings ask for.
  const hasContent = stored !== undefined && (stored.versions.length > 0 || stored.refs !== undefined);
  const known = hasContent ? stored : undefined;
  const { node: primary, before: primaryBefore } = nodes.find(({ node }) => node.primary) ?? {};
  const patterns = comparedRefs(primary ?? nodes[0]?.node);
  const history = histories?.[nodes[0]?.node.place ?? ""];
  const answers = new Map(
    nodes.flatMap((one): [Node, AnsweredNode][] => {
      const good = prevailing(one.seen);
      return good ? [[one.node, { ...one, good, shown: shownIn(good, one.node, refs, run.at) }]] : [];
    }),
  );
  const answered = [...answers.values()];
  const { shown: leader, good: leading = primaryBefore } = answered.find(({ node }) => node.primary) ?? {};
  const others = answered.filter(({ node }) => !node.primary);
  const shown = others.map((one) => one.shown);
  const lead = primary ? leadOfPrimary(leader) : leadOfMost(shown, nodes.length, known);
  const refsOf = hash("sha256", JSON.stringify([primary?.id ?? null, patterns])).slice(0, 16);
  const moved = lead === undefined ? known : moveReference(known, lead, run.at, refsOf);
  const reference = moved && withTaken({ ...moved, answers: answersAfter(moved, history) }, others);
  const hasLead = primary === undefined ? answered.length > 0 : leader !== undefined;
  const warnings = hasLead ? warningsOf(answered) : (stored?.warnings ?? []);
  const isLone = leader !== undefined && reference !== undefined && isAlone(shown, reference);
  const target = { ...run, history, reference, isLed: lead !== undefined && !isLone };
  const contents = nodes.map((one): [number, NodeContent] => {
    const { id, primary: isPrimary } = one.node;
    const answer = answers.get(one.node);
    if (answer === undefined) {
      const tls_expires_at = certificateEnd(one, false);
      return [id, { ...unseenContent(one.before, run.lastRun), tls_expires_at }];
    }
    const hasRefs = patterns !== '"HEAD"' && comparedRefs(one.node) === patterns;
    const isExcused = warnings.includes("expired") || (!isPrimary && leading?.content_code === "expired");
    const judged = { ...target, hasRefs, isExcused, isAlone: isLone && isPrimary };
    return [id, seenContent(answer, judged)];
  });
  const index = lead === undefined ? (leader?.index ?? stored?.index) : undefined;
  const isEmpty = reference === undefined && index === undefined && warnings.length === 0;
  const asked = { index, warnings: warnings.length > 0 ? warnings : undefined };
  return {
    reference: isEmpty ? undefined : { branch: "", versions: [], ...reference, ...asked },
    contents: new Map(contents),
  };
}

function comparedRefs(node: Node | undefined): string {
  return JSON.stringify(node === undefined ? defaultRefs : patternsOf(node));
}

interface AnsweredNode extends ObservedNode {
  readonly good: Observation;
  readonly shown: Shown;
}

/** The verdict stays until the next good answer. `before` may be a whole node: only its content is taken. */
function unseenContent(before: NodeContent | undefined, lastRun: number): NodeContent {
  if (before === undefined) return {};
  const kept = Object.entries(before).filter(([name]) => Object.hasOwn(content.shape, name));
  return { ...Object.fromEntries(kept), unseen_since: before.unseen_since ?? lastRun };
}

interface TargetRun extends Pick<Judged, "at" | "history" | "isLed" | "hasRefs"> {
  readonly lastRun: number;
  readonly reference: Reference | undefined;
  /** Whether the mirror can't help it if its content has expired. */
  readonly isExcused: boolean;
  /** Whether the mirror is a primary that stands alone. */
  readonly isAlone: boolean;
}

function seenContent(answered: AnsweredNode, run: TargetRun): NodeContent {
  const { before, seen, good, shown } = answered;
  const { at, hasRefs, isExcused, reference } = run;
  const { revision, branch = "", moved_to, refs_unread, content_at } = good;
  const value = reference && valueOf(shown, mainName(reference.branch));
  const isSame = value === (before?.main ?? before?.revision);
  const mainSince = (isSame ? before?.main_since : undefined) ?? at;
  const proof = proofAfter(before?.proof, seen, revision, at);
  const { failed = 0, timed_out = 0 } = proof ?? {};
  const isFailing = failed >= 2 || failed + timed_out >= 3;
  const found = good.content_code === "expired" && isExcused ? undefined : good.content_code;
  const content_code = found ?? (isFailing ? "no_fetch" : undefined);
  const codeSince = content_code === before?.content_code ? before?.content_since : at;
  const verdict = verdictOf(answered, run, value, mainSince);
  const differsSince = verdict.differs === true ? (verdict.apart?.[0] ?? at) : undefined;
  // One spread, at the start, because each further one takes as long as all else here.
  return {
    ...verdict,
    revision,
    branch: revision === undefined ? undefined : branch,
    main: value === revision ? undefined : value,
    main_since: reference && mainSince,
    refs_unread: hasRefs ? refs_unread : undefined,
    moved_to,
    content_at: content_at === undefined ? undefined : Date.parse(content_at),
    content_code,
    content_file: good.content_file,
    content_since: content_code === undefined ? differsSince : codeSince,
    proof,
    tls_expires_at: certificateEnd(answered, true),
  };
}

/** Returns what a comparison with the reference shows, or what an earlier one did if this run is no answer. */
function verdictOf(
  { node, before, good, shown }: AnsweredNode,
  { at, lastRun, history, reference, isLed, hasRefs, isAlone: isLone }: TargetRun,
  value: string | undefined,
  mainSince: number,
): NodeContent {
  if (reference === undefined) return {};
  const isRead = hasRefs && good.refs !== undefined;
  const judged: Judged = {
    ...{ at, history, reference, isLed, hasRefs, shown, before },
    graceMs: node.freshness.graceMs,
    lastSeen: before?.unseen_since ?? lastRun,
    // A mirror that was in sync has been behind only since then, however long it has had its content.
    mainSince: before?.freshness === "in_sync" ? at : mainSince,
    isUnmoved: isRead ? good.refs === before?.refs : good.revision === before?.revision,
  };
  const comparison = compare(judged);
  const isUnread = hasRefs && shown.refs === undefined && reference.refs !== undefined;
  // Only the other refs could not be read this time.
  if (isUnread && before?.freshness !== undefined && comparison.differences.length === 1)
    return unseenContent(before, lastRun);
  const name = mainName(reference.branch);
  return {
    ...(isLone ? judgeAlone(judged, name, value ?? "") : judge(judged, comparison)),
    refs: hasRefs ? good.refs : undefined,
    difference: hasRefs ? differenceOf(shown.refs, reference.refs) : undefined,
  };
}

/** Returns how a mirror's refs differ from the reference's, or undefined if they are equal or unknown. */
function differenceOf(refs: RefSet | undefined, expected: Reference["refs"]): NodeContent["difference"] {
  if (refs === undefined || expected === undefined) return undefined;
  const names = Object.keys(expected);
  const missing = names.filter((name) => !refs.has(name));
  const extra = [...refs.keys()].filter((name) => name !== "HEAD" && !Object.hasOwn(expected, name));
  const different = names.filter((name) => keptId(refs.get(name) ?? expected[name] ?? "") !== expected[name]);
  if (missing.length + extra.length + different.length === 0) return undefined;
  return {
    ...{ missing: missing.length, extra: extra.length, different: different.length },
    names: { missing: shownNames(missing), extra: shownNames(extra), different: shownNames(different) },
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

/** Returns when a mirror's certificate expires, as of its last answer. */
function certificateEnd({ node, before, seen }: ObservedNode, hasAnswered: boolean): number | undefined {
  const expiry = seen.find(({ tls_expires_at }) => tls_expires_at !== undefined)?.tls_expires_at;
  if (expiry !== undefined) return Date.parse(expiry);
  // An http: URL has a certificate only while it redirects to https:, so an answer without one drops it.
  return hasAnswered && node.url.startsWith("http:") ? undefined : before?.tls_expires_at;
}

interface GoodAnswer {
  readonly node: Pick<Node, "primary">;
  readonly good: Pick<Observation, "content_code" | "unchecked">;
}

/** Returns what the primary's answer says about its target's settings or, without one, what all answers say. */
export function warningsOf(answers: readonly GoodAnswer[]): TargetWarning[] {
  const primary = answers.find(({ node }) => node.primary);
  const leading = primary === undefined ? answers : [primary];
  // A target has expired if nothing shows that a mirror has not.
  const isExpired =
    leading.some(({ good }) => good.content_code === "expired") &&
    answers.every(({ good }) => good.content_code !== undefined);
  return targetWarning.options.filter(
    (warning) =>
      (warning === "expired" && isExpired) ||
      (leading.length > 0 && leading.every(({ good }) => good.unchecked?.includes(warning))),
  );
}
