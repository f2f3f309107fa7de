import { formatInteger } from "../../core/base/text/count.ts";
import { bareUrl } from "../../core/base/text/url.ts";
import { type MirrorState, mirrorStates } from "../../core/verdict/mirror-state.ts";

/** A current notice of the operator. */
export interface IndexedNotice {
  readonly title: string;
  readonly href: string;
  /** When the next update is due (ISO 8601). */
  readonly next?: string | undefined;
}

/** What the search index says about a mirror only if it needs saying. */
export interface MirrorDetails {
  /** When the mirror's state began (ISO 8601). */
  readonly since?: string | undefined;
  /** Why the mirror is in its state. */
  readonly reason?: string | undefined;
  /** The index of the notice that names the mirror. */
  readonly notice?: number | undefined;
}

/** The content of `search.json`: see `searchIndex` in `search-document.ts`. */
export interface Index {
  readonly sections: number;
  readonly notices: readonly IndexedNotice[];
  readonly targets: readonly (readonly [target: string, ...IndexedNode[]])[];
}

type IndexedNode = readonly [
  id: number,
  name: string,
  url: string,
  states: string,
  uptime: number | null,
  latency: number | null,
  country?: string | null,
  details?: MirrorDetails,
];

export type IndexedMirror = Readonly<ReturnType<typeof mirrorsOf>[number]>;

/** Each target's mirrors are in the order of its mirror list. `root` is the URL of the site. */
export function mirrorsOf({ sections, notices, targets }: Index, root: string) {
  const linked = notices.map((notice) => ({ ...notice, href: root + notice.href }));
  return targets.flatMap(([target, ...nodes]) =>
    nodes.map(([id, label, url, states, uptime, latency, country, details = {}]) => {
      const { notice, ...known } = details;
      return {
        ...known,
        id,
        target,
        name: label === "" ? bareUrl(url) : label,
        url,
        /** The mirror's page or section. */
        href: `${root}status/${target}/${nodes.length > sections ? `${id}/` : `#node-${id}`}`,
        states: states.split(" "),
        country: country ?? undefined,
        uptime: uptime ?? undefined,
        latency: latency ?? undefined,
        notice: notice === undefined ? undefined : linked[notice],
      };
    }),
  );
}

const verdicts: Readonly<Record<MirrorState, string>> = {
  offline: "is offline",
  wrong: "answers us, but has wrong content",
  differs: "answers us, but differs from its reference",
  behind: "answers us, but is behind",
  maintenance: "is in maintenance",
  unknown: "has not been observed yet",
  online: "answers us",
};

/**
 * Answers whether a mirror is down, or whether only the reader cannot reach it. `all` has each target's mirrors in the
 * order of its mirror list. In an expired feed, nothing is said about now.
 */
export function answerAbout(mirror: IndexedMirror, all: readonly IndexedMirror[], isExpired: boolean) {
  const state = stateIn(mirror);
  const others = all.filter(({ id }) => id !== mirror.id);
  const observed = others.filter((one) => !["unknown", "maintenance"].includes(stateIn(one)));
  const answering = observed.filter((one) => stateIn(one) !== "offline").length;
  const online = others.filter((one) => stateIn(one) === "online" && one.notice === undefined);
  const good = online.filter(({ target }) => target === mirror.target);
  const near = good.find(({ country }) => country !== undefined && country === mirror.country);
  const isOffline = state === "offline";
  const facts = [
    mirror.reason,
    isOffline &&
      observed.length > 0 &&
      `${formatInteger(answering)} of ${formatInteger(observed.length)} others are reachable`,
    state === "online" && mirror.latency !== undefined && `${formatInteger(mirror.latency)} ms on average`,
  ];
  return {
    state,
    /** Precedes the mirror's name. */
    before: isExpired ? "At the last run: " : isOffline ? "Not you: " : "",
    /** Follows the mirror's name. */
    verdict: verdicts[state],
    facts: facts.filter((fact) => typeof fact === "string"),
    /** Precedes `instead`. */
    advice: adviceFor(state, near !== undefined),
    /** The best other mirror of the target, if one is online. In the same country if possible. */
    instead: near ?? good[0],
  };
}

function adviceFor(state: MirrorState, isNear: boolean): string {
  const where = isNear ? " (same country)" : "";
  if (state === "online") return `If it fails for you, try another network or another mirror${where}`;
  return state === "behind" || state === "unknown" ? `Another mirror${where}` : `Until then${where}`;
}

export function stateIn({ states }: IndexedMirror): MirrorState {
  return mirrorStates.find((state) => states.includes(state)) ?? "unknown";
}
