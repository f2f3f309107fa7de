import type { MirrorState } from "../../core/verdict/mirror-state.ts";

/** Distinct without color: a disc, a half disc, a cross, a ring and a dotted ring. */
export type ShapeName = "online" | "some" | "wrong" | "offline" | "unknown";

export const stateShapes: Readonly<Record<MirrorState, ShapeName>> = {
  online: "online",
  behind: "some",
  differs: "some",
  wrong: "wrong",
  offline: "offline",
  maintenance: "unknown",
  unknown: "unknown",
};

/** The radius of a circle and the data of a path, both centered on the origin. */
export const drawings: Readonly<Record<ShapeName, { readonly r?: number; readonly d?: string }>> = {
  online: { r: 5.5 },
  some: { r: 4.5, d: "M0-4.5a4.5 4.5 0 0 0 0 9z" },
  wrong: { d: "M-4-4 4 4M4-4-4 4" },
  offline: { r: 4.5 },
  unknown: { r: 4.5 },
};

export function verdictShape({ state, color }: { state: MirrorState; color: string }): ShapeName {
  return color === "amber" ? "some" : stateShapes[state];
}
