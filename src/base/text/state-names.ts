/** The states of a mirror, the worst first. It can have several. `unknown`: there is no verdict yet. */
export const stateNames = [
  "offline",
  "behind",
  "differs",
  "maintenance",
  "certificate",
  "unknown",
  "online",
] as const;

export type StateName = (typeof stateNames)[number];
