import { styleText } from "node:util";
import { stateLabels } from "../../core/verdict/mirror-state.ts";

const all = [...Object.values(stateLabels), { label: "FAILED", color: "red" } as const];
const colors = new Map(all.map(({ label, color }) => [label, color]));

/** Matches the labels of states, the places above them, and the word before a failed check. */
const painted = /(?<=^ {2})[●◐✗○◌] [a-z]+|^FAILED|^[^\s/]+\/[^\s/]+\/[^\s/]+(?=\n {2}[●◐✗○◌] )/gm;

/**
 * Adds colors to a command's result. Runs last, so that escape characters in names have been removed, and all that
 * remain are ours.
 */
export function paint(text: string): string {
  return text.replaceAll(painted, (found) => styleText(colors.get(found) ?? "bold", found));
}
