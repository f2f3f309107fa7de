import { InputError } from "../../core/base/errors.ts";
import type { SiteFile, TextFile } from "../../core/base/files/site-file.ts";
import { hasInvisible, quote } from "../../core/base/text/quote.ts";
import type { HostName } from "../../core/config/site-settings.ts";
import type { FeedNames } from "../../core/contract/contract.ts";

/**
 * How a host handles the contract. `full` means that it does exactly what the contract says. The other values say what
 * the host does instead.
 */
export interface Capabilities {
  /** The answer to an unknown name or an invalid status: 403 or 400 with its error, or 404. */
  readonly errors: "full" | "not-found";
  /**
   * The answer to methods other than GET and HEAD. `full`: 405 with `Allow`. `own-body`: 405 with the host's own body.
   * `other`: another error status.
   */
  readonly methodNotAllowed: "full" | "own-body" | "other";
  /** `all`: documents and errors have the type `application/json`. `documents`: only documents have it. */
  readonly jsonTypes: "all" | "documents";
  /**
   * How the host answers a path without the final slash. `direct`: as with the slash. `redirect`: with a redirect to
   * the path with the slash. `page`: with the document as `text/html`, and only for paths of the contract.
   */
  readonly slashless: "direct" | "redirect" | "page";
  readonly cacheControl: "full" | "host";
  /** Whether the rules grow with the number of targets. */
  readonly rules: "constant" | "named";
  /** `tested` means that tests run the host's real engine or its official emulator. */
  readonly proof: "tested" | "documented";
}

export const wholeContract: Capabilities = {
  errors: "full",
  methodNotAllowed: "full",
  jsonTypes: "all",
  slashless: "direct",
  cacheControl: "full",
  rules: "constant",
  proof: "tested",
};

export interface HostInput {
  readonly feed: FeedNames;
  /** The path that the site is published at: empty, or with a leading slash and no final slash. */
  readonly basePath: string;
}

/** The input for a server's configuration. The configuration is not part of the site. */
export interface ServerInput extends HostInput {
  readonly listen: { readonly address: string; readonly port: number };
  /** The absolute path of the site's folder. */
  readonly root: string;
  /** The absolute path of the folder for the configuration's other files. */
  readonly companions: string;
}

/** A static host or web server. Each has its own file in this folder. */
export interface Host<Name extends HostName = HostName> {
  readonly name: Name;
  readonly title: string;
  readonly capabilities: Capabilities;
  /** The profile of `mirrorfeed verify` for this host (default: full). */
  readonly profile?: string;
  readonly delivery: Delivery;
  /** Returns the host's files in the site, such as `.htaccess`, `_redirects` or `_worker.js`. */
  readonly siteFiles: (input: HostInput) => readonly SiteFile[];
  /** Returns the pages that answer paths without a final slash if `site.slashless` is set. */
  readonly slashlessPages?: (documents: readonly TextFile[]) => readonly SiteFile[];
  /** Returns the configuration files outside the site, the main file first. */
  readonly serverFiles?: (input: ServerInput) => readonly [main: SiteFile, ...others: SiteFile[]];
  /** Returns the URL at which the host publishes the repository with this Git remote, or undefined. */
  readonly urlOfRemote?: (remote: string) => string | undefined;
  /** Returns a warning and its remedy for each of the host's limits that the site exceeds. */
  readonly warnings?: (site: HostInput & { readonly files: number }) => readonly string[];
}

/** How a site gets to its host: the workflow that `init` writes, and the operator's steps. */
export interface Delivery {
  readonly summary: string;
  /** How the workflow publishes the site. Undefined if the host needs no workflow. */
  readonly workflow?: "pages" | "branch";
  /** Returns the operator's steps to publish the site, one per line, with the exact commands. */
  readonly steps: (input: {
    readonly host: Pick<Host, "name" | "title" | "serverFiles">;
    readonly command: string;
    /** The command that commits the feed. */
    readonly commit: string;
    /** How often the feed is refreshed, as in `mirrorfeed watch --interval`. */
    readonly every: string;
  }) => readonly string[];
}

/** The branch that a host publishes. */
export const siteBranch = "mirrorfeed-site";

/** The workflow pushes the site to a branch, and the host publishes that branch. */
export const branchDelivery: Delivery = {
  summary: "publishes a branch that the workflow writes",
  workflow: "branch",
  steps: ({ host, commit }) => [
    commit,
    `On GitHub: Actions → Refresh the feed → Run workflow. It creates the branch ${siteBranch}.`,
    `On ${host.title}: deploy the top folder of that branch, without a build command.`,
  ],
};

/** The host runs mirrorfeed itself, or the operator uploads the site. */
export const serverDelivery: Delivery = {
  summary: "your own server or bucket",
  steps: ({ host, command, every }) => [
    ...(host.serverFiles
      ? [`${command} host ${host.name} --root /srv/site --out server    # writes the server's configuration`]
      : []),
    `${command} watch --interval ${every} --out /srv/site    # on the server, until you stop it`,
  ],
};

/**
 * Returns a function that puts text in double quotes for this server's configuration. It throws InputError if the text
 * contains one of the `special` characters, or an invisible one.
 */
export function quotedFor(server: string, special: RegExp, remedy: string): (text: string) => string {
  return (text) => {
    if (!special.test(text) && !hasInvisible(text)) return `"${text}"`;
    throw new InputError(`${quote(text)} cannot be used in a configuration for ${server}; choose ${remedy}.`);
  };
}

/** Each media type of a site's files, with its extensions. Files of a text type are in UTF-8. */
export const mediaTypes: readonly (readonly [type: string, ...extensions: string[]])[] = [
  ["application/atom+xml", "atom"],
  ["application/json", "json", "map"],
  ["application/manifest+json", "webmanifest"],
  ["application/metalink+xml", "metalink"],
  ["application/metalink4+xml", "meta4"],
  ["font/woff2", "woff2"],
  ["image/jpeg", "jpg", "jpeg"],
  ["image/png", "png"],
  ["image/svg+xml", "svg"],
  ["image/webp", "webp"],
  ["image/x-icon", "ico"],
  ["text/calendar", "ics"],
  ["text/css", "css"],
  ["text/html", "html"],
  ["text/javascript", "js", "mjs"],
  ["text/plain", "txt", "asc", "conf", "list", "ts"],
  ["text/xml", "xml"],
];
