import type { FeedNames } from "../contract/contract.ts";
import type { SiteFile, TextFile } from "../base/files/site-file.ts";
import type { Delivery } from "./delivery.ts";

/**
 * What a host does with the contract. `full` is what the contract says; every other value says what the host does
 * instead.
 */
export interface Capabilities {
  /** 403 with the error of the unknown level, or 404 with one error for all. */
  readonly forbidden: "full" | "not-found";
  /** 400 for an invalid status, or 404 with one error for all. */
  readonly badRequest: "full" | "not-found";
  /** 405 with `Allow` for methods other than GET and HEAD, or 405 with the host's own body, or another status. */
  readonly methodNotAllowed: "full" | "own-body" | "other";
  /** `application/json` on errors too, or on documents only. */
  readonly jsonTypes: "all" | "documents";
  /**
   * A path without a slash at its end answers directly, or redirects to the path with one. `page`: a path of the
   * contract answers directly as `text/html`, and all others redirect.
   */
  readonly slashless: "direct" | "redirect" | "page";
  /** `Cache-Control` as mirrorfeed sets it, or as the host does. */
  readonly cacheControl: "full" | "host";
  /** Whether the rules grow with the number of targets. */
  readonly rules: "constant" | "named";
  /** Whether the tests run the real engine or its official emulator, or the documentation alone was read. */
  readonly proof: "tested" | "documented";
}

/** The capabilities of a tested host that does everything in the contract, with rules that do not grow. */
export const wholeContract: Capabilities = {
  forbidden: "full",
  badRequest: "full",
  methodNotAllowed: "full",
  jsonTypes: "all",
  slashless: "direct",
  cacheControl: "full",
  rules: "constant",
  proof: "tested",
};

/** What the files of a host depend on: the same feed gives the same files. */
export interface HostInput {
  readonly feed: FeedNames;
  /** The path that the site is published at: empty, or with a slash at its start and none at its end. */
  readonly basePath: string;
}

/** The size of a rendered site, for the limits of a host. */
export interface SiteSize extends HostInput {
  /** How many files it has. */
  readonly files: number;
}

/** What the configuration of a server depends on, which is not in the site. */
export interface ServerInput extends HostInput {
  /** Address and port to listen on. */
  readonly listen: { readonly address: string; readonly port: number };
  /** The absolute paths of the site's folder, and of the folder with the other files of the configuration. */
  readonly root: string;
  readonly companions: string;
}

/** A static host or web server: one file in this folder. */
export interface Host<Name extends string = string> {
  /** As `site.host` spells it. */
  readonly name: Name;
  /** The name in texts. */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** The profile of `mirrorfeed verify` for this host (default: full). */
  readonly profile?: string;
  readonly delivery: Delivery;
  /** How to publish there, in at most five lines of Markdown. */
  readonly publishing: readonly string[];
  /** Returns the files in the site, such as `.htaccess`, `_redirects` or `_worker.js`. */
  readonly siteFiles: (input: HostInput) => readonly SiteFile[];
  /** Returns the pages for `site.slashless`, which answer paths without a slash. Missing if the host has none. */
  readonly slashlessPages?: (documents: readonly TextFile[]) => readonly SiteFile[];
  /** Returns the files of a configuration outside of the site. The first one is the main file. */
  readonly serverFiles?: (input: ServerInput) => readonly SiteFile[];
  /** Returns the URL at which the host publishes the repository with this Git remote, or undefined. */
  readonly urlOfRemote?: (remote: string) => string | undefined;
  /** Returns a warning for each limit of the host that the site exceeds, with the remedy. */
  readonly warnings?: (site: SiteSize) => readonly string[];
}
