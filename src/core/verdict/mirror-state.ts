/**
 * The states shown to people, worst first. A mirror has exactly one. `wrong`: reachable, but its content is expired,
 * half synced or incomplete. `unknown`: no run has found evidence yet.
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

/** States that someone should act on. Not `maintenance`, which was announced, nor `unknown`, which resolves itself. */
export const attentionStates: readonly MirrorState[] = ["offline", "wrong", "differs", "behind"];

/** For terminals. The symbols help readers who see no colors. */
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

/** The words for each state in an English sentence, such as "it is in maintenance" or "2 offline". */
export const stateNames: Readonly<Record<MirrorState, string>> = {
  offline: "offline",
  wrong: "wrong",
  differs: "different",
  behind: "behind",
  maintenance: "in maintenance",
  unknown: "unknown",
  online: "online",
};
