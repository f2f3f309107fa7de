import type { Node } from "../../core/config/nodes.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { evidence, sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { Round } from "../../core/state/round.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import { codeSentence, explain } from "./explain.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** Mirrors and what was observed of them. */
export interface ProbedMirrors {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** The feed after the run. Undefined if the results were not judged, as in `mirrorfeed probe`. */
  readonly feed?: Feed | undefined;
  /** The feed before the run. Undefined before the first run, or if the results were not judged. */
  readonly before?: Feed | undefined;
}

/** A mirror with its observation in this run, and its entries in the feeds before and after the run. */
export interface MirrorRow {
  readonly node: Node;
  readonly observation: Observation | undefined;
  readonly was: FeedNode | undefined;
  readonly is: FeedNode | undefined;
  readonly state: MirrorState;
  /** Whole sentences, or empty. */
  readonly explanation: string;
}

export function rowsOf({ nodes, round, before, feed }: ProbedMirrors): MirrorRow[] {
  const [was, is] = [before, feed].map(
    (of) => new Map(nodesOf(targetsOf(of?.systems ?? [])).map((node) => [node.id, node])),
  );
  return nodes.map((node) => {
    const observation = observationOf(round, node);
    const mirror = is?.get(node.id);
    return {
      node,
      observation,
      was: was?.get(node.id),
      is: mirror,
      state: mirror?.state ?? stateOf(observation),
      explanation:
        mirror === undefined
          ? probedSentence(observation)
          : explain(mirror, node.settings, observation, Date.parse(feed?.run.generated_at ?? "")),
    };
  });
}

export function rowJson({ node, observation, is, state, explanation }: MirrorRow) {
  const { system, project, target, id, name, url } = node;
  const { code, http_status, latency_ms, attempts } = observation ?? {};
  return {
    ...{ system, project, target, id, name, url, state },
    status: is?.status,
    freshness: is?.freshness,
    content_code: is === undefined ? observation?.content_code : is.content_code,
    kept_online: is?.kept_online,
    ...{ code, http_status, latency_ms, attempts },
    explanation: explanation || undefined,
  };
}

function observationOf({ vantages }: Round, { id }: Node): Observation | undefined {
  return vantages.find(({ observations }) => observations.has(id))?.observations.get(id);
}

/** Returns the state that an observation alone suggests, regardless of earlier runs. */
function stateOf(observation: Observation | undefined): MirrorState {
  const status = evidence(observation?.code);
  if (status === undefined) return "unknown";
  if (status === 0) return "offline";
  return observation?.content_code === undefined ? "online" : "wrong";
}

function probedSentence(observation: Observation | undefined): string {
  if (observation === undefined) return "It was not observed.";
  const { content_code } = observation;
  return observation.code === "ok" && content_code !== undefined
    ? sentenceOf(content_code)
    : codeSentence(observation);
}
