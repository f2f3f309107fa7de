import type * as z from "zod";
import type { HttpCode } from "../base/http/codes.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import type { MirrorState } from "../contract/mirror-state.ts";
import type { Freshness } from "../contract/rank.ts";
import type { ContentCode, ContentIndex } from "./mirror-content.ts";

/** The facts about a mirror in an answer. `OwnCode` are the codes of one kind. */
export interface Classification<OwnCode extends string = never> {
  readonly code: HttpCode | OwnCode;
  /** Identifies the content: equal revisions mean equal content. */
  readonly revision?: string | undefined;
  readonly branch?: string | undefined;
  /** The answer is longer than `maxBytes`, and the part that was read is valid. */
  readonly partial?: true | undefined;
  /** The parts of the content by name, with a revision each. */
  readonly refs?: ReadonlyMap<string, string> | undefined;
  /** Why there are no `refs` although they are to be compared. */
  readonly refs_unread?: "too_many" | "unread" | undefined;
  /** When the content was made, as an ISO timestamp in UTC. */
  readonly content_at?: string | undefined;
  /** What is wrong with the content. It changes no status. */
  readonly content_code?: ContentCode | undefined;
  /** Kept if the mirror is the reference. */
  readonly index?: ContentIndex | undefined;
}

/** Classifies an answer by its head, and if that returns undefined, again by everything that is read. */
export type Classify<OwnCode extends string = never> = (
  answer: HttpResponse,
) => Classification<OwnCode> | undefined;

export interface Classified<OwnCode extends string = never> {
  readonly answer: HttpResponse;
  readonly classification: Classification<OwnCode>;
  /** Where the answer came from after all redirects. */
  readonly url: URL;
}

/**
 * The prober follows redirects, keeps the deadline and the limits, and repeats the whole probe if an attempt fails.
 * Rejects if no answer comes: let that pass, the prober turns it into the code of the failure.
 */
export type RequestUrl<Missing = never> = <OwnCode extends string>(
  url: URL,
  classify: Classify<OwnCode>,
  options?: RequestOptions,
) => Promise<Classified<OwnCode> | Missing>;

/**
 * Sends another request to a mirror that answered. Without an answer, less is known about the content, and the status
 * stays. The request is not repeated, and its time is not part of the latency.
 */
export type TryRequest = RequestUrl<undefined>;

/**
 * Returns the signed part of a text in OpenPGP's cleartext format; undefined unless a key of the keyring signed all of
 * it. Rejects with ProbeFailure if verification takes too long.
 */
export type VerifySignature = (text: Buffer, keyring: string) => Promise<string | undefined>;

export interface ProbeContext {
  readonly tryRequest: TryRequest;
  readonly verifySignature: VerifySignature;
  /** Whether the other mirrors of the target are compared with this one. */
  readonly isPrimary: boolean;
  /** Whether the mirror lacked a file in the last run, or had one of another size. */
  readonly wasIncomplete?: boolean | undefined;
  /** What earlier runs know of the target's reference. */
  readonly reference: { readonly revision: string; readonly index?: ContentIndex | undefined } | undefined;
  /** In epoch milliseconds. */
  readonly now: number;
  /** A number that grows with each run, for what is asked in turn. */
  readonly turn: number;
}

/** The options of a kind that mirrors.json sets for a mirror. */
export type KindOptions = Readonly<Record<string, unknown>>;

interface FieldDescription {
  readonly meaning: string;
  readonly example: string;
}

/** A kind of mirror: what is requested of it, and what its answers mean. */
export interface Kind<OwnCode extends string = string> {
  /** What such a mirror contains, with examples. `init` offers it. */
  readonly label: string;
  /** When such a mirror is reachable: a sentence for the configuration's schema and the documents. */
  readonly description: string;
  /** Codes for answers that do not come from such a mirror, with their sentences. */
  readonly codes: Readonly<Record<OwnCode, string>>;
  /** The object in `probe` with the name of this kind. All its keys are optional. */
  readonly options?: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  /** Those of them that are the path of a keyring, relative to mirrors.json. */
  readonly keyrings?: readonly string[];
  /** What the revision and the branch are. Without them, freshness is unknown. */
  readonly content: { readonly revision?: FieldDescription; readonly branch?: FieldDescription };
  /** Whether `ok` over plain HTTP proves that the prober is online: a login page cannot answer so. */
  readonly isProof: boolean;
  /** How a person gets the content: a shell command for a URL, or for shell code that prints one. */
  readonly usage?: { readonly title: string; readonly command: (url: string) => string };
  readonly lists?: readonly MirrorList[];
  /** Returns what is wrong with the URL of such a mirror, and the remedy. */
  readonly urlProblem?: (url: string) => string | undefined;
  /**
   * Returns the part of a path, without a slash at its end, that names the mirror: equal parts are the same mirror. If
   * left out, all of it does.
   */
  readonly mirrorPath?: (path: string) => string;
  readonly probe: (
    url: string,
    options: KindOptions,
    request: RequestUrl,
    context: ProbeContext,
  ) => Promise<Classification<OwnCode>>;
}

/** A list of the mirrors of a target that a tool reads: one file of the site. */
export interface MirrorList {
  /** The extension of the file, without its dot. No other list has the same. */
  readonly extension: string;
  /** The media type of the file. Each host must send it for the extension. */
  readonly type: string;
  /** As its owners spell it. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  /** How a person uses it: a line of a shell or a configuration for the URL of the list. */
  readonly usage?: { readonly title: string; readonly line: (url: string, options: KindOptions) => string };
  /** Whether mirrors with these options have the list. If left out, all do. */
  readonly isFor?: (options: KindOptions) => boolean;
  readonly render: (input: ListInput) => string;
}

export interface ListInput {
  /** `system/project/target`. */
  readonly place: string;
  /** The mirrors of the kind, at least one, the best first and the offline ones last. */
  readonly mirrors: readonly ListedMirror[];
  /** The mirror that the others copy; the first one of the configuration if that is not known. */
  readonly primary: ListedMirror;
  /** Sentences for a comment, if none of the mirrors is as it should be, or some do not answer over a family. */
  readonly warning?: string | undefined;
  /** The hour of the last run, as an ISO timestamp in UTC. */
  readonly checkedAt: string;
  readonly intervalMinutes: number;
  /** The URL of the target's page, if the site has one. */
  readonly page?: string | undefined;
  /** What the mirrors should have. */
  readonly reference?: ListedContent | undefined;
  /** Earlier content of the reference, the newest first. */
  readonly former?: readonly ListedContent[] | undefined;
}

export interface ListedMirror {
  readonly url: string;
  readonly status: 0 | 1;
  readonly state?: MirrorState | undefined;
  /** As last observed. */
  readonly revision?: string | undefined;
  readonly content_code?: string | undefined;
  readonly content_at?: string | undefined;
  readonly freshness?: Freshness | undefined;
  readonly behind_since?: string | undefined;
  readonly uptime?: { readonly "24h": { readonly ratio: number | undefined } };
  readonly mean_latency_ms?: number | undefined;
  /** What a check of each address family found. */
  readonly families?: { readonly ipv4: string | undefined; readonly ipv6: string | undefined } | undefined;
  /** Two upper-case letters of ISO 3166-1. */
  readonly country?: string | undefined;
  readonly options: KindOptions;
}

/** The file that a list names. */
export interface ListedContent extends Omit<ContentIndex, "files"> {
  readonly content_at?: string | undefined;
}
