import type { Answers } from "./gate.ts";

/** What is waited for: exactly one of a ref, a path and a revision. */
export interface Wanted {
  readonly ref?: string | undefined;
  readonly path?: string | undefined;
  /** The digest of the file at the path, in lower-case hexadecimal digits. */
  readonly sha256?: string | undefined;
  /** May be shortened. */
  readonly revision?: string | undefined;
}

/** Why a mirror does not count: a code of a probe or of `wait`, and a sentence for people. */
export interface Problem {
  readonly code: string;
  readonly sentence: string;
}

/** What a round showed. Without answers it proved nothing, and this is the exit code if the wait ends with it. */
export interface Look {
  readonly answers?: Answers | undefined;
  /** The feeds that were not used. */
  readonly passed_over?: readonly { readonly url: string; readonly reason: string }[] | undefined;
  readonly failure?: { readonly code: 2 | 3 | 4; readonly sentence: string } | undefined;
}

/** Where the answers come from: probes, or a feed. */
export interface Source {
  readonly answers: Answers;
  readonly firstPauseMs: number;
  /** Looks at the mirrors with these ids at least. Rejects with the reason of the interrupt. */
  readonly look: (ids: readonly number[]) => Promise<Look>;
}
