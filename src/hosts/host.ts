import type { FeedNames } from "./contract.ts";
import type { SiteFile, TextFile } from "../files/site-file.ts";
import type { Delivery } from "./delivery.ts";

/**
 * What a host does with the contract. `full` means by its record and by the table of cases; the words for less say
 * what it does instead.
 */
export interface Capabilities {
  /** 403 with the body of the level that is unknown, or 404 with one body for all. */
  readonly forbidden: "full" | "not-found";
  /** 400 for a status that is none, or 404 with one body for all. */
  readonly badRequest: "full" | "not-found";
  /** 405 with `Allow` for methods other than GET and HEAD, or 405 in the host's own words, or another status. */
  readonly methodNotAllowed: "full" | "own-body" | "other";
  /** `application/json` on errors too, or on documents only. */
  readonly jsonTypes: "all" | "documents";
  /**
   * A path without the slash at its end answers itself, or redirects to the one with it. `page`: a path of the contract
   * answers itself as `text/html`, all others redirect.
   */
  readonly slashless: "direct" | "redirect" | "page";
  /** `Access-Control-Allow-Origin: *` on every answer, or on documents only. */
  readonly cors: "all" | "documents";
  /** Whether `Cache-Control` is ours to set. */
  readonly cacheControl: "ours" | "host";
  /** Whether the rules grow with the number of targets. */
  readonly rules: "constant" | "named";
  /** On what this record rests: the real engine or its official emulator in the tests, or documentation alone. */
  readonly proof: "tested" | "read";
}

/** A host that keeps the whole contract by rules that never grow, proved on its engine. */
export const wholeContract: Capabilities = {
  forbidden: "full",
  badRequest: "full",
  methodNotAllowed: "full",
  jsonTypes: "all",
  slashless: "direct",
  cors: "all",
  cacheControl: "ours",
  rules: "constant",
  proof: "tested",
};

/** What the files of a host are made from; pure, so that the same feed gives the same files. */
export interface HostInput {
  readonly feed: FeedNames;
  /** The path the site is mounted at: empty, or with a slash at its start and none at its end. */
  readonly basePath: string;
}

/** What a site that was rendered is like, for what may not fit. */
export interface SiteSize extends HostInput {
  /** How many files it has. */
  readonly files: number;
}

/** A web server's own configuration stands outside of the site. */
export interface ServerInput extends HostInput {
  /** Address and port to listen on. */
  readonly listen: { readonly address: string; readonly port: number };
  /** The absolute path of the site's folder, and of the folder in which companions of the configuration stand. */
  readonly root: string;
  readonly companions: string;
}

/** A static host or web server: one file in this folder. */
export interface Host<Name extends string = string> {
  /** As `site.host` spells it. */
  readonly name: Name;
  /** How people call it. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** The profile with which `mirrorfeed verify` tests it; `full` if it is left out. */
  readonly profile?: string;
  readonly delivery: Delivery;
  /** How to publish there, in at most five lines of Markdown. */
  readonly publishing: readonly string[];
  /** What goes into the site: `.htaccess`, `_redirects`, `_worker.js`. */
  readonly siteFiles: (input: HostInput) => readonly SiteFile[];
  /** What `site.slashless` adds, if the host offers it: pages that answer the paths of documents without their slash. */
  readonly slashlessPages?: (documents: readonly TextFile[]) => readonly SiteFile[];
  /** The configuration of a server that keeps it outside of the site: the first file is the main one. */
  readonly serverFiles?: (input: ServerInput) => readonly SiteFile[];
  /** Returns where the host publishes the repository at this address of a Git remote, or undefined. */
  readonly urlOfRemote?: (remote: string) => string | undefined;
  /** What will not fit, with numbers and the way out. */
  readonly warnings?: (site: SiteSize) => readonly string[];
}
