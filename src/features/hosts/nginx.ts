import { hostAndPort } from "../../core/base/text/url.ts";
import {
  cacheControl,
  errorDocuments,
  errorPath,
  networkRoot,
  pagePattern,
} from "../../core/contract/contract.ts";
import { type Host, mediaTypes, quotedFor, serverDelivery, type ServerInput, wholeContract } from "./host.ts";

/** In double quotes, nginx expands variables and interprets backslash escapes. */
const quoted = quotedFor("nginx", /["$\\]/, "a folder without quotes, $ or backslashes");

/** nginx: a `server` block that checks which files exist. It needs only the modules of Debian's nginx-light. */
export const nginx: Host<"nginx"> = {
  name: "nginx",
  title: "nginx",
  capabilities: wholeContract,
  delivery: serverDelivery,
  siteFiles: () => [],
  serverFiles: (input) => [{ path: "mirrorfeed.conf", content: configuration(input) }],
};

function configuration({ basePath: base, listen: { address, port }, root }: ServerInput): string {
  const start = base.replaceAll(".", "\\.");
  const types = mediaTypes.map((names) => `        ${names.join(" ")};`);
  return String.raw`# Serves a mirrorfeed site with nginx. Save this file as /etc/nginx/conf.d/mirrorfeed.conf, or include it in the http
# block, then run
${port === 80 ? "#   rm /etc/nginx/sites-enabled/default   (Debian's default site, which answers on port 80)\n" : ""}#   nginx -t && systemctl reload nginx
# No names are listed here: a system, project or target exists if its index.json does. If the path in site.url changes,
# generate this file again.
server {
    listen ${quoted(hostAndPort(address, port))};
    # If other sites use the same port, nginx chooses one by its name:
    # server_name status.example.org;
    root ${quoted(root)};

    types {
${types.join("\n")}
    }
    default_type application/octet-stream;
    charset utf-8;
    charset_types text/calendar text/css text/javascript text/plain text/xml;
    gzip on;
    gzip_vary on;
    gzip_types application/atom+xml application/json application/manifest+json image/svg+xml text/css text/javascript text/plain text/xml;

    add_header Access-Control-Allow-Origin "*" always;
    add_header Cache-Control "${cacheControl}" always;

    # For a 404, browsers get a page and other clients get JSON.
    set $not_found json;
    if ($http_accept ~* "text/html") { set $not_found html; }
    if ($uri !~ "^${start}/${pagePattern}") { set $not_found json; }
    error_page 404 ${base}/errors/not-found.$not_found;
    error_page 405 ${base}/${errorPath("method")};
    if ($request_method !~ "^(?:GET|HEAD)\z") { return 405; }

${networkLocation(base)}${otherLocations(base)}    location / { return 404; }
}
`;
}

/** Returns the location of the contract's documents. */
function networkLocation(base: string): string {
  const levels = ["system", "project", "target", "status"] as const;
  const checks = levels.map((level, depth) => {
    const { code } = errorDocuments[level];
    const names = levels.slice(0, depth + 1).map((name) => `/$feed_${name}`);
    return `        if (!-f $document_root/${networkRoot}${names.join("")}/index.json) {
            error_page ${code} ${base}/${errorPath(level)};
            return ${code};
        }`;
  });
  return String.raw`    # The error names the first level (system, project or target) without a document. (?s) and \z allow for line feeds in
    # names. If a capture is empty, the file path has a double slash, and so leads to the document of the last name given.
    location ~ "(?s)^${base.replaceAll(".", "\\.")}/${networkRoot}(?:/(?<feed_system>[^/]+)(?:/(?<feed_project>[^/]+)(?:/(?<feed_target>[^/]+)(?:/(?<feed_status>.+?))?)?)?)?/?\z" {
${checks.join("\n")}
        try_files /${networkRoot}/$feed_system/$feed_project/$feed_target/$feed_status/index.json =404;
    }

`;
}

/** Returns the locations of errors, and of the rest of the site. */
function otherLocations(base: string): string {
  const start = base.replaceAll(".", "\\.");
  return String.raw`    # A location with an add_header ignores all of those above.
    location = ${base}/${errorPath("method")} {
        add_header Access-Control-Allow-Origin "*" always;
        add_header Cache-Control "${cacheControl}" always;
        add_header Allow "GET, HEAD" always;
        try_files /${errorPath("method")} =404;
    }

    location ~ "^${start}(?<feed_file>/errors/not-found\.(?:html|json))\z" {
        add_header Access-Control-Allow-Origin "*" always;
        add_header Cache-Control "${cacheControl}" always;
        add_header Vary "Accept" always;
        try_files $feed_file =404;
    }

    # The rest of the site, except names that begin with a dot. Folders answer with their index.json or index.html.
    location ~ "(?s)^${start}(?<feed_file>(?:/(?!\.)[^/]*)*/)\z" {
        try_files $feed_file/index.json $feed_file/index.html =404;
    }
    location ~ "(?s)^${start}(?<feed_file>(?:/(?!\.)[^/]+)*)\z" {
        try_files $feed_file/index.json $feed_file @feed_page;
    }

    # Redirect pages to the path with a slash, because their links are relative.
    location @feed_page {
        if (!-f $document_root$feed_file/index.html) { return 404; }
        if ($request_uri ~ "^[^?]*/([^/?]+)(\?.*)?\z") { return 301 ./$1/$2; }
        return 404;
    }

`;
}
