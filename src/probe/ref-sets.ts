import { formatRefSet, type RefSet, refSetDigest } from "./ref-set.ts";

/** How many bytes the refs of all nodes may take: half of a results file. */
const maxBytes = 32 * 1024 * 1024;

/** The refs of the nodes of a run. Most mirrors of a target have the same, which are kept once. */
export class RefSets {
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  /** The number of different sets that are kept. */
  get size(): number {
    return this.#texts.size;
  }

  /** Keeps refs, if there is room for them. Returns their digest. */
  add(refs: RefSet): string {
    const text = formatRefSet(refs);
    const digest = refSetDigest(text);
    if (this.#texts.has(digest)) return digest;
    const bytes = Buffer.byteLength(JSON.stringify(text));
    if (this.#bytes + bytes <= maxBytes) {
      this.#texts.set(digest, text);
      this.#bytes += bytes;
    }
    return digest;
  }

  /** Returns the kept refs as texts, by their digest. */
  texts(): Record<string, string> {
    return Object.fromEntries(this.#texts);
  }
}
