import { maxSamples, type SampleFile } from "./mirror-content.ts";
import { filePathPattern } from "./mirror-files.ts";

type Find = (text: string) => string | undefined;

/** How to find files in a list. Both functions get the text of one file. */
export interface ListFormat {
  /** Text that begins or ends every file. */
  readonly separator: string;
  readonly path: Find;
  readonly size?: Find;
}

export function firstGroup(pattern: RegExp): Find {
  return (text) => pattern.exec(text)?.[1];
}

/** Longer than any entry, except those of packages with thousands of dependencies. */
const maxPackageLength = 65_536;
const maxPathLength = 1000;

/** How many files a search keeps. Up to 16 of them become samples. */
const maxFiles = 512;

/** Finds packages in parts of a text. If there are too many, keeps one of `step`: different ones in each window. */
export class FileSearch {
  #files: (SampleFile | undefined)[] = [];
  readonly #format: ListFormat;
  readonly #window: number;
  step = 1;
  #rest = "";
  #count = 0;

  constructor(format: ListFormat, window: number) {
    this.#format = format;
    this.#window = window;
  }

  add(part: string): void {
    const { separator } = this.#format;
    const text = this.#rest + part;
    let start = 0;
    // `#rest` can begin with a separator, and end with part of one.
    let next = text.indexOf(separator, Math.max(1, this.#rest.length - separator.length));
    while (next >= 0) {
      this.#addPackage(text.slice(start, next));
      start = next;
      next = text.indexOf(separator, start + separator.length);
    }
    this.#rest = text.slice(Math.max(start, text.length - maxPackageLength));
  }

  /** Adds the last package. Don't call it if the text was cut off: the package's path might be, too. */
  finish(): void {
    if (this.#isKept()) this.#files.push(this.#fileOf(this.#rest));
  }

  get files(): readonly SampleFile[] {
    return this.#files.filter((file) => file !== undefined);
  }

  #addPackage(text: string): void {
    if (this.#isKept()) this.#files.push(this.#fileOf(text));
    this.#count += 1;
    if (this.#files.length <= maxFiles) return;
    const parity = Math.floor(this.#window / this.step) % 2;
    this.#files = this.#files.filter((_, place) => place % 2 === parity);
    this.step *= 2;
  }

  #isKept(): boolean {
    return this.#count % this.step === this.#window % this.step;
  }

  #fileOf(text: string): SampleFile | undefined {
    const path = this.#format.path(text);
    if (path === undefined) return undefined;
    const size = this.#format.size?.(text);
    return {
      // A slice would keep the whole text in memory.
      path: Buffer.from(path.slice(0, maxPathLength), "latin1").toString("latin1"),
      ...(size !== undefined && { size: Number(size) }),
    };
  }
}

/** Returns evenly spread samples, without special paths. Groups 0, 1, 2, … have all files in turn. */
export function spreadSamples(files: readonly SampleFile[], group: number): readonly SampleFile[] {
  const plain = files.filter(
    ({ path }) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path),
  );
  const count = plain.length;
  // Multiples of the golden ratio are evenly spread. They reach every file if the stride has no common divisor.
  let stride = Math.max(1, Math.round(0.618 * count));
  while (hasCommonDivisor(stride, count)) stride += 1;
  return Array.from({ length: Math.min(maxSamples, count) }, (_, turn) => {
    return plain[((group * maxSamples + turn) * stride) % count] ?? [];
  }).flat();
}

function hasCommonDivisor(one: number, other: number): boolean {
  return other === 0 ? one > 1 : hasCommonDivisor(other, one % other);
}
