import type { HttpCode } from "../base/http/codes.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions, ResponseParser } from "../base/http/transport.ts";
import type { Rankable } from "../verdict/rank.ts";
import type { UploadPack } from "./git-advertisement.ts";
import type { ContentCode, ContentIndex, SampleFile, TargetWarning } from "./mirror-content.ts";
import * as z from "../base/zod.ts";
import { hasInvisible } from "../base/text/quote.ts";

/** What an answer says about a mirror. `OwnCode` is the union of a kind's own codes. */
export interface Classification<OwnCode extends string = never> {
  readonly code: HttpCode | OwnCode;
  /** Identifies the content: equal revisions mean equal content. */
  readonly revision?: string | undefined;
  readonly branch?: string | undefined;
  /** Set if the answer is longer than `maxBytes` and the part that was read is valid. */
  readonly partial?: true | undefined;
  /** The revision of each part of the content, by name. */
  readonly refs?: ReadonlyMap<string, string> | undefined;
  /** Why `refs` is missing although refs should be compared. */
  readonly refs_unread?: "too_many" | "unread" | undefined;
  /** When the content was made, as an ISO timestamp in UTC. */
  readonly content_at?: string | undefined;
  /** What is wrong with the content. Does not change the status. */
  readonly content_code?: ContentCode | undefined;
  /** The package that is missing or has the wrong size. */
  readonly content_file?: SampleFile | undefined;
  /** What the settings ask for, and the answer does not allow. */
  readonly unchecked?: readonly TargetWarning[] | undefined;
  /** The URL of the repository that a Git mirror's URL redirects to. */
  readonly moved_to?: string | undefined;
  /** How to ask a Git server more. Only known while the run lasts. */
  readonly uploadPack?: UploadPack | undefined;
  /** Stored only if the mirror is the reference. */
  readonly index?: ContentIndex | undefined;
}

/** Called with the head of an answer. If it returns undefined, it is called again with the body. */
export type Classify = ResponseParser<HttpCode>;

export interface Classified {
  readonly answer: HttpResponse;
  readonly code: HttpCode;
  /** After redirects. */
  readonly url: URL;
}

/** Sends a request, also after redirects and with retries. Don't catch its errors: the prober turns them into codes. */
export type RequestUrl<Missing = never> = (
  url: URL,
  classify: Classify,
  options?: RequestOptions,
) => Promise<Classified | Missing>;

/** Sends a further request, once and without effect on the latency. If it fails, the mirror is still reachable. */
export type TryRequest = RequestUrl<undefined>;

/** Returns what a clearsigned OpenPGP text signs, or undefined unless a key in the keyring signed all of it. */
export type VerifySignature = (text: Buffer, keyring: string) => Promise<string | undefined>;

/** What a mirror's last good answer showed. */
export interface EarlierContent {
  readonly lastRevision?: string | undefined;
  /** Whether a file was missing or had the wrong size. */
  readonly wasIncomplete?: boolean | undefined;
  readonly lastProblem?: SampleFile | undefined;
}

/** What earlier runs found out about a target's reference. */
export interface KnownReference {
  /** Missing if the settings give no content a revision. */
  readonly revision?: string | undefined;
  readonly index?: ContentIndex | undefined;
  /** The full name of the branch that the reference's HEAD names. Missing when the reference itself is probed. */
  readonly branch?: string | undefined;
}

export interface ProbeContext extends EarlierContent {
  readonly tryRequest: TryRequest;
  readonly verifySignature: VerifySignature;
  /** Whether the target's other mirrors are compared with this one. */
  readonly isPrimary: boolean;
  readonly hasPrimary: boolean;
  readonly reference: KnownReference | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Grows with each `site.interval`, nearly always by one. Kinds use it to check files in turn. */
  readonly turn: number;
}

export type KindOptions = Readonly<Record<string, unknown>>;

/** A kind of mirror: which requests to send, and what the answers mean. */
export interface Kind<OwnCode extends string = string> {
  /** What a mirror of this kind contains, with examples. `init` offers it. */
  readonly label: string;
  /** When a mirror of this kind is reachable: a sentence for the configuration's schema and the documents. */
  readonly description: string;
  /** Codes for answers that don't come from a mirror of this kind, with a sentence for each. */
  readonly codes: Readonly<Record<OwnCode, string>>;
  /** Schema for the kind's object in `probe`. All keys are optional. `keyring` is a path, relative to mirrors.json. */
  readonly options?: z.ZodObject<Readonly<Record<string, z.ZodType>>>;
  /** What this kind uses as the revision. Without one, freshness is unknown. */
  readonly revision?: { readonly meaning: string; readonly example: string };
  readonly branch?: Kind["revision"];
  /** Whether `ok` over plain HTTP proves that the prober is online, because no login page would get that code. */
  readonly isProof: boolean;
  /** Shell commands to get the content, the most usual first. `url` is a URL, or shell code that prints one. */
  readonly usages?: readonly { readonly title: string; readonly command: (url: string) => string }[];
  readonly lists?: readonly MirrorList[];
  /** Returns the problem with a mirror's URL and the remedy, or undefined (default: it may have no query). */
  readonly urlProblem?: (url: string) => string | undefined;
  /** Returns the part of a URL's path that identifies the mirror (default: all). `path` has no final slash. */
  readonly mirrorPath?: (path: string) => string;
  readonly probe: (
    url: string,
    options: KindOptions,
    request: RequestUrl,
    context: ProbeContext,
  ) => Promise<Classification<OwnCode>>;
}

/** A file in the site that lists a target's mirrors for a tool. */
export interface MirrorList {
  /** The file extension, without the dot. Each list has a different one. */
  readonly extension: string;
  /** The media type that every host must send for the extension. */
  readonly type: string;
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  /** How to use the list: a shell command or a line of configuration with the list's URL. */
  readonly usage?: { readonly title: string; readonly line: (url: string, options: KindOptions) => string };
  /** Whether mirrors with these options get the list (default: all do). */
  readonly isFor?: (options: KindOptions) => boolean;
  readonly render: (input: ListInput) => string;
}

export interface ListInput {
  /** `system/project/target`. */
  readonly place: string;
  /** The mirrors of this kind, best first and offline ones last. Never empty. */
  readonly mirrors: readonly ListedMirror[];
  /** The mirror that the others copy, or the first one in the configuration. */
  readonly primary: ListedMirror;
  /** For lists whose format allows comments: until when the list holds, and warnings. Has no `--`, for XML. */
  readonly comment: string;
  /** The time of the last run, rounded down to the hour, as an ISO timestamp in UTC. */
  readonly checkedAt: string;
  readonly intervalMinutes: number;
  readonly page?: string | undefined;
  readonly reference?: ListedContent | undefined;
  /** Earlier content of the reference, newest first. */
  readonly former?: readonly ListedContent[] | undefined;
}

export interface ListedMirror extends Omit<Rankable, "uptime"> {
  readonly url: string;
  readonly revision?: string | undefined;
  readonly content_at?: string | undefined;
  readonly uptime?: { readonly "24h": { readonly ratio: number | undefined } };
  /** The code from the last check of each address family. */
  readonly families?: { readonly ipv4: string | undefined; readonly ipv6: string | undefined } | undefined;
  readonly options: KindOptions;
}

/** The file that a list describes. */
export interface ListedContent extends Omit<ContentIndex, "files" | "turn"> {
  readonly content_at?: string | undefined;
}

/** Adds a description, an example and a title, for the JSON schema and the documents. */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: unknown,
  title?: string,
): Schema {
  const examples = example === undefined ? undefined : [example];
  return schema.meta({ description, ...(title && { title }), ...(examples && { examples }) });
}

/** Schema for the path of a file that mirrors.json names. Relative paths start at its folder. */
export const filePath = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !hasInvisible(path), { error: "has control or invisible characters; rename the file" });
