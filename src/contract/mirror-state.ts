/**
 * What people are told of a mirror, the worst first. Exactly one is true. `wrong`: reachable, but its content is expired,
 * half synced or incomplete. `unknown`: no run has had evidence yet.
 */
export const mirrorStates = [
  "offline",
  "wrong",
  "differs",
  "behind",
  "maintenance",
  "unknown",
  "online",
] as const;

export type MirrorState = (typeof mirrorStates)[number];

/** The states that somebody should do something about. A maintenance was announced, and the rest is known later. */
export const attentionStates: readonly MirrorState[] = ["offline", "wrong", "differs", "behind"];

/** How a terminal shows the states: a shape that is known without its colour, and a word. */
export const stateLabels: Readonly<
  Record<MirrorState, { readonly color: "green" | "yellow" | "red" | "gray"; readonly label: string }>
> = {
  online: { color: "green", label: "● online" },
  behind: { color: "yellow", label: "◐ behind" },
  differs: { color: "yellow", label: "◐ differs" },
  wrong: { color: "red", label: "✗ wrong" },
  offline: { color: "red", label: "○ offline" },
  maintenance: { color: "gray", label: "◌ maintenance" },
  unknown: { color: "gray", label: "◌ unknown" },
};

/** How a sentence in English names the states, after "is" or a count. */
export const stateNames: Readonly<Record<MirrorState, string>> = {
  offline: "offline",
  wrong: "wrong",
  differs: "different",
  behind: "behind",
  maintenance: "in maintenance",
  unknown: "unknown",
  online: "online",
};
