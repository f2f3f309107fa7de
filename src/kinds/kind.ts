import type * as z from "zod";
import type { HttpCode } from "../base/http/codes.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import type { ContentCode } from "./content-codes.ts";
import type { ContentIndex } from "./content-index.ts";
import type { MirrorList } from "./list.ts";

/** What an answer says about a mirror. `OwnCode` are the codes that only one kind has. */
export interface Classification<OwnCode extends string = never> {
  readonly code: HttpCode | OwnCode;
  /** Identifies the content: equal revisions mean equal content. */
  readonly revision?: string;
  /** The branch of the revision, if the content has branches. */
  readonly branch?: string;
  /** The answer is longer than `maxBytes`, and the part that was read is valid. */
  readonly partial?: true;
  /** The parts of the content with a revision each, by name: what a mirror must have all of. */
  readonly refs?: ReadonlyMap<string, string>;
  /** Why there are no `refs` although they are to be compared: too many, or their list could not be read. */
  readonly refs_unread?: "too_many" | "unread";
  /** When the content was made, as an ISO timestamp in UTC. */
  readonly content_at?: string;
  /** What is wrong with content that is reachable, which is freshness and changes no status. */
  readonly content_code?: ContentCode;
  /** What lists, and probes of other mirrors, need to know of the content. It is kept if the mirror is the reference. */
  readonly index?: ContentIndex;
}

/** Classifies an answer by its head, and if that returns undefined, again by everything that is read. */
export type Classify<OwnCode extends string = never> = (
  answer: HttpResponse,
) => Classification<OwnCode> | undefined;

/** A classified answer, and the URL it came from after all redirects. */
export interface Classified<OwnCode extends string = never> {
  readonly answer: HttpResponse;
  readonly classification: Classification<OwnCode>;
  readonly url: URL;
}

/**
 * Requests a URL. The prober follows redirects, keeps the deadline and the limits, and repeats the whole probe if an
 * attempt fails. Rejects if no answer comes: let that pass, the prober turns it into the code of the failure.
 */
export type RequestUrl = <OwnCode extends string>(
  url: URL,
  classify: Classify<OwnCode>,
  options?: RequestOptions,
) => Promise<Classified<OwnCode>>;

/** What a probe may use beside its request. */
export interface ProbeContext {
  /**
   * Requests more of a mirror that answered. Resolves with undefined if no answer comes: then less is known of the content,
   * and the status stays. It is not repeated, and its time is not part of the latency.
   */
  readonly tryRequest: <OwnCode extends string>(
    url: URL,
    classify: Classify<OwnCode>,
    options?: RequestOptions,
  ) => Promise<Classified<OwnCode> | undefined>;
  /**
   * Returns the signed part of a text in OpenPGP's cleartext format. Resolves with undefined unless a key of the keyring
   * signed it and all of the text is signed. Rejects with ProbeFailure if verification takes too long.
   */
  readonly verifySignature: (text: Buffer, keyring: string) => Promise<string | undefined>;
  /** Whether the other mirrors of the target are compared with this one. */
  readonly isPrimary: boolean;
  /** Whether the mirror lacked a file in the last run. */
  readonly wasIncomplete?: boolean | undefined;
  /** What earlier runs know of the target's reference; undefined if nothing is known. */
  readonly reference: { readonly revision: string; readonly index?: ContentIndex | undefined } | undefined;
  /** The time of the probe, in epoch milliseconds. */
  readonly now: number;
  /** A number that grows with each run, for what is asked in turn. */
  readonly turn: number;
}

/** What a field of a classification means for a kind, and an example of it. */
interface FieldDescription {
  readonly meaning: string;
  readonly example: string;
}

/** A kind of mirror: what is requested of it, and what its answers mean. */
export interface Kind<OwnCode extends string = string> {
  /** When a mirror of this kind is reachable: a sentence for the configuration's schema and the documents. */
  readonly description: string;
  /** The kind's own codes with their sentences. Each is for answers that do not come from such a mirror. */
  readonly codes: Readonly<Record<OwnCode, string>>;
  /** The keys of the object in `probe` with the name of this kind, all of them optional. */
  readonly options?: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  /** Those of them that are the path of a keyring, relative to mirrors.json. */
  readonly keyrings?: readonly string[];
  /** What the revision and the branch are. Left out if the kind has none: then freshness is unknown. */
  readonly content: { readonly revision?: FieldDescription; readonly branch?: FieldDescription };
  /** Whether `ok` over plain HTTP proves that the prober is online: a login page cannot answer so. */
  readonly isProof: boolean;
  /** How a person gets the content: a title, and a shell command for a URL, or for shell code that prints one. */
  readonly usage?: { readonly title: string; readonly command: (url: string) => string };
  /** The lists of its mirrors that tools read. */
  readonly lists?: readonly MirrorList[];
  /** Returns what is wrong with the URL of such a mirror, and the remedy; undefined if nothing is. */
  readonly urlProblem?: (url: string) => string | undefined;
  /**
   * Returns the part of a URL's path that names the mirror: equal parts are the same mirror. The path has no slash at its
   * end. If left out, the whole path names it.
   */
  readonly mirrorPath?: (path: string) => string;
  /** Probes a mirror with the `options` of its node, with as many requests as it takes. */
  readonly probe: (
    url: string,
    options: Readonly<Record<string, unknown>>,
    request: RequestUrl,
    context: ProbeContext,
  ) => Promise<Classification<OwnCode>>;
}
