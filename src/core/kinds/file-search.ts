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

export type FileSearch = ReturnType<typeof fileSearch>;

/** Finds packages in parts of a text. If there are too many, keeps one of `step`: different ones in each window. */
export function fileSearch(format: ListFormat, window: number) {
  const { separator } = format;
  let files: (SampleFile | undefined)[] = [];
  let step = 1;
  let rest = "";
  let count = 0;
  const keep = (text: string): void => {
    if (count % step === window % step) files.push(fileIn(text, format));
  };
  const addPackage = (text: string): void => {
    keep(text);
    count += 1;
    if (files.length <= maxFiles) return;
    const parity = Math.floor(window / step) % 2;
    files = files.filter((_, place) => place % 2 === parity);
    step *= 2;
  };
  return {
    add: (part: string): void => {
      const text = rest + part;
      let start = 0;
      // `rest` can begin with a separator, and end with part of one.
      let next = text.indexOf(separator, Math.max(1, rest.length - separator.length));
      while (next >= 0) {
        addPackage(text.slice(start, next));
        start = next;
        next = text.indexOf(separator, start + separator.length);
      }
      rest = text.slice(Math.max(start, text.length - maxPackageLength));
    },
    /** Adds the last package. Don't call it if the text was cut off: the package's path might be, too. */
    finish: (): void => {
      keep(rest);
    },
    found: () => ({ step, files: files.filter((file) => file !== undefined) }),
  };
}

function fileIn(text: string, format: ListFormat): SampleFile | undefined {
  const path = format.path(text);
  if (path === undefined) return undefined;
  const size = format.size?.(text);
  return {
    // A slice would keep the whole text in memory.
    path: Buffer.from(path.slice(0, maxPathLength), "latin1").toString("latin1"),
    ...(size !== undefined && { size: Number(size) }),
  };
}

/** Returns evenly spread samples, without special paths. Groups 0, 1, 2, … have all files in turn. */
export function spreadSamples(files: readonly SampleFile[], group: number): readonly SampleFile[] {
  const plain = files.filter(
    ({ path }) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path),
  );
  // Every `step`th file from the first, then every one from the second, and so on.
  const step = Math.ceil(plain.length / maxSamples);
  const rows = Array.from({ length: step }, (_, row) => plain.filter((_, place) => place % step === row));
  const spread = rows.flat();
  const start = (group * maxSamples) % spread.length;
  return [...spread.slice(start), ...spread.slice(0, start)].slice(0, maxSamples);
}
