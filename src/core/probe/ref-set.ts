import { hash } from "node:crypto";
import { maxRefs } from "../kinds/git-refs.ts";

/** Object ids by ref name. */
export type RefSet = ReadonlyMap<string, string>;

const linePattern = /^((?:[0-9a-f]{40}|[0-9a-f]{64})) ([^\0-\x20\x7f]{1,1000})$/;

/** Formats equal sets as equal text. */
export function formatRefSet(refs: RefSet): string {
  const names = [...refs.keys()].sort();
  return names.map((name) => `${refs.get(name)} ${name}`).join("\n");
}

export function parseRefSet(text: string): RefSet | undefined {
  const refs = new Map<string, string>();
  for (const line of text === "" ? [] : text.split("\n")) {
    const [, id, name] = linePattern.exec(line) ?? [];
    if (id === undefined || name === undefined || refs.size === maxRefs) return undefined;
    refs.set(name, id);
  }
  return refs;
}

export function refSetDigest(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

/** Half of the limit for a results file. */
const maxBytes = 32 * 1024 * 1024;

/** The ref sets of a run. Most mirrors of a target share one. */
export class RefSets {
  /** By digest. `bytes` is the length of the text in a results file. */
  readonly kept = new Map<string, { readonly refs: RefSet; readonly text: string; readonly bytes: number }>();
  #bytes = 0;

  /** Stores a ref set and returns its digest. If the ref sets do not all fit, drops the largest ones. */
  add(refs: RefSet): string {
    const text = formatRefSet(refs);
    const digest = refSetDigest(text);
    if (this.kept.has(digest)) return digest;
    const bytes = Buffer.byteLength(JSON.stringify(text));
    this.kept.set(digest, { refs, text, bytes });
    this.#bytes += bytes;
    while (this.#bytes > maxBytes) {
      const [largest, set] = [...this.kept].reduce((one, other) =>
        other[1].bytes > one[1].bytes ? other : one,
      );
      this.kept.delete(largest);
      this.#bytes -= set.bytes;
    }
    return digest;
  }

  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.kept].map(([digest, { text }]) => [digest, text]));
  }
}
