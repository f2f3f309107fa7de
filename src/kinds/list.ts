import type { ContentIndex } from "./content-index.ts";

/** A list of the mirrors of a target that a tool reads: one file of the site. */
export interface MirrorList {
  /** The extension of the file, without its dot. No other list has the same. */
  readonly extension: string;
  /** The media type of the file. Each host must send it for the extension. */
  readonly type: string;
  /** The tool that reads it, as its owners spell it. */
  readonly tool: string;
  /** What the list is, as a title without a full stop, and as sentences. */
  readonly title: string;
  readonly description: string;
  /** How a person uses it: a title, and one line, of a shell or a configuration, for the URL of the list. */
  readonly usage?: { readonly title: string; readonly line: (url: string, options: KindOptions) => string };
  /** Returns whether mirrors with these options have the list. If left out, all mirrors of the kind have it. */
  readonly isFor?: (options: KindOptions) => boolean;
  readonly render: (input: ListInput) => string;
}

/** The options of a kind that mirrors.json sets for a mirror. */
export type KindOptions = Readonly<Record<string, unknown>>;

/** What a list is made from. */
export interface ListInput {
  /** `system/project/target`. */
  readonly place: string;
  /** The mirrors of the kind, at least one, the best first and the offline ones last. */
  readonly mirrors: readonly ListedMirror[];
  /** The mirror that the others copy; the first one of the configuration if that is not known. */
  readonly primary: ListedMirror;
  /** The content that the mirrors should have, if it is known. */
  readonly reference?: ListedContent | undefined;
  /** Earlier content of the reference that is still acceptable, the newest first. */
  readonly former?: readonly ListedContent[] | undefined;
}

export interface ListedMirror {
  readonly url: string;
  readonly status: 0 | 1;
  /** As last observed. */
  readonly revision?: string | undefined;
  /** Two upper-case letters of ISO 3166-1. */
  readonly country?: string | undefined;
  readonly options: KindOptions;
}

/** The file that a list names. */
export interface ListedContent extends Omit<ContentIndex, "files"> {
  /** When it was made, as an ISO timestamp in UTC. */
  readonly content_at?: string | undefined;
}
