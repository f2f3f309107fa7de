import { formatRefSet, type RefSet, refSetDigest } from "./ref-set.ts";

/** How many characters the refs of all nodes may have: half of a results file. */
const maxCharacters = 32 * 1024 * 1024;

/** The refs of the nodes of a run. Most mirrors of a target have the same, which are kept once. */
export class RefSets {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  /** The number of different sets that are kept. */
  get size(): number {
    return this.#texts.size;
  }

  /** Keeps refs, if there is room for them. Returns their digest. */
  add(refs: RefSet): string {
    const text = formatRefSet(refs);
    const digest = refSetDigest(text);
    if (!this.#texts.has(digest) && this.#characters + text.length <= maxCharacters) {
      this.#texts.set(digest, text);
      this.#characters += text.length;
    }
    return digest;
  }

  /** Returns the kept refs as texts, by their digest. */
  texts(): Record<string, string> {
    return Object.fromEntries(this.#texts);
  }
}
