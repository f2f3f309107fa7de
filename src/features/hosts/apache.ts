import { hostAndPort } from "../../core/base/text/url.ts";
import { cacheControl, errorPath, networkRoot, pagePattern } from "../../core/contract/contract.ts";
import { InputError } from "../../core/base/errors.ts";
import { quote } from "../../core/base/text/quote.ts";
import { serverDelivery, type Host, quotedFor, type ServerInput, wholeContract } from "./host.ts";

/** Apache expands variables in double quotes, and treats the path of a Directory as a pattern. */
const quoted = quotedFor("Apache", /["\\*?[\]$]/, "a folder without quotes, backslashes or any of * ? [ ] $");

/**
 * Apache 2.4 with mod_rewrite: a `VirtualHost`, or a `.htaccess` in the site. The `.htaccess` needs only `AllowOverride
 * FileInfo`, but has limits. Apache itself answers some requests before it reads the `.htaccess`: TRACE (405 or an
 * echo), path segments over 255 bytes (403), `%2F` (404) and malformed encoding (400), all in HTML. Paths without a
 * final slash never get a 304: only an ErrorDocument prevents mod_dir's redirect, and Apache always sends an
 * ErrorDocument whole. CORS, Cache-Control and Allow need mod_headers, and compression needs mod_deflate.
 */
export const apache: Host<"apache"> = {
  name: "apache",
  title: "Apache",
  capabilities: wholeContract,
  delivery: serverDelivery,
  publishing: [
    'On shared hosting, set `site.host` to `"apache"`, run mirrorfeed, and upload `_site` with its `.htaccess` to the path in `site.url`.',
    "Apache needs mod_rewrite, `AllowOverride FileInfo`, and mod_headers for CORS.",
    "On your own server, run `mirrorfeed run --out /srv/site`, then",
    "`mirrorfeed host apache --root /srv/site --listen 0.0.0.0:80 > /etc/apache2/sites-available/mirrorfeed.conf` and",
    "`a2enmod rewrite headers && a2dissite 000-default && a2ensite mirrorfeed && systemctl restart apache2`.",
  ],
  siteFiles: ({ basePath }) => [{ path: ".htaccess", content: htaccess(basePath) }],
  serverFiles: (input) => [{ path: "mirrorfeed.conf", content: virtualHost(input) }],
};

function htaccess(base: string): string {
  return String.raw`# Serves a mirrorfeed site with Apache 2.4. No names are listed here: a system, project or target exists if its
# index.json does. AllowOverride FileInfo is enough, because this file sets no Options.
${answers(base)}
RewriteEngine On
RewriteBase ${base}/

RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$
RewriteRule ^ - [R=405,L]

${pageIfMissing("^")}

# Find this file's folder: the path on disk minus the path in the site.
RewriteCond %{REQUEST_FILENAME}%{PATH_INFO}|$0 (?s)^(.*?)(${networkRoot}/.*)\|\2\z
RewriteRule (?s)^${networkRoot}/.*\z - [E=MIRRORFEED_ROOT:%1]

${levels("^", "%{ENV:MIRRORFEED_ROOT}")}

# Redirect pages to the path with a slash, because their links are relative.
RewriteCond %{REQUEST_FILENAME}/index.json !-f
RewriteCond %{REQUEST_FILENAME}/index.html -f
RewriteRule (?s)^(.*[^/])\z %{REQUEST_URI}/ [E=MIRRORFEED_FOLDER:$1,R=301,L]

# Add the slash to a document's path inside the server: otherwise mod_dir would redirect the client, and turning that
# off with DirectorySlash needs more than FileInfo.
ErrorDocument 200 ${base}/%{reqenv:MIRRORFEED_FOLDER}/
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule (?s)^(.*[^/])\z - [E=MIRRORFEED_FOLDER:$1,R=200,L]

# The rest of the site, except names that begin with a dot. Folders answer with their index.json or index.html.
RewriteRule (?:^|/)\. - [R=404,L]
RewriteCond %{REQUEST_FILENAME}/index.json -f
RewriteRule ^ %{REQUEST_URI}/index.json [END]
RewriteCond %{REQUEST_FILENAME}/index.html -f
RewriteRule ^ %{REQUEST_URI}/index.html [END]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^ - [R=404,L]
`;
}

function virtualHost({ basePath: base, listen: { address, port }, root }: ServerInput): string {
  const start = base.replaceAll(".", "\\.");
  const socket = socketOf(address, port);
  return String.raw`# Serves a mirrorfeed site with Apache 2.4, without .htaccess. Save this file as
# /etc/apache2/sites-available/mirrorfeed.conf, then run
#   a2enmod rewrite headers && a2dissite 000-default && a2ensite mirrorfeed && systemctl restart apache2
# To keep other sites on the port, leave out a2dissite and add a ServerName below.
# No names are listed here: a system, project or target exists if its index.json does. If the path in site.url changes,
# generate this file again.

${port === 80 ? "# Uncomment this line unless ports.conf has it:" : "# Remove this line if ports.conf has it:"}
${port === 80 ? "# " : ""}Listen ${socket}

<VirtualHost ${address === "0.0.0.0" ? `*:${port}` : socket}>
DocumentRoot ${quoted(root)}
<Directory ${quoted(root)}>
    AllowOverride None
    Options FollowSymLinks
    Require all granted
</Directory>
${answers(base)}
RewriteEngine On

RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$
RewriteRule ^ - [R=405,L]

${pageIfMissing(`^${start}/`)}

${levels(`^${start}/`, "%{DOCUMENT_ROOT}/")}

# The rest of the site, except names that begin with a dot. Folders answer with their index.json or index.html.
RewriteRule ^${start}/(?:.*/)?\. - [R=404,L]
# Redirect pages to the path with a slash, because their links are relative.
RewriteCond %{DOCUMENT_ROOT}/$1/index.json !-f
RewriteCond %{DOCUMENT_ROOT}/$1/index.html -f
RewriteRule (?s)^${start}(?:/(.*[^/]))?\z %{REQUEST_URI}/ [E=MIRRORFEED_FOLDER:$1,R=301,L]
RewriteCond %{DOCUMENT_ROOT}/$1/index.json -f
RewriteRule (?s)^${start}(?:/(.*?))?/?\z %{DOCUMENT_ROOT}/$1/index.json [END]
RewriteCond %{DOCUMENT_ROOT}/$1/index.html -f
RewriteRule (?s)^${start}(?:/(.*?))?/?\z %{DOCUMENT_ROOT}/$1/index.html [END]
RewriteCond %{DOCUMENT_ROOT}/$1 -f
RewriteRule (?s)^${start}/(.*)\z %{DOCUMENT_ROOT}/$1 [END]
RewriteRule ^ - [R=404,L]
</VirtualHost>
`;
}

/** Returns the headers for every answer, and the error documents. */
function answers(base: string): string {
  return String.raw`AddType application/atom+xml .atom
AddType application/json .json
AddType application/manifest+json .webmanifest
AddType application/metalink+xml .metalink
AddType application/metalink4+xml .meta4
AddType image/png .png
AddType image/svg+xml .svg
AddType image/webp .webp
AddType image/x-icon .ico
AddType text/calendar .ics
AddType text/css .css
AddType text/html .html
AddType text/javascript .js
AddType text/plain .txt .conf .list
AddType text/xml .xml
AddCharset utf-8 .conf .css .html .ics .js .list .txt .xml

# Apache would send error text as HTML, so each error is a file. The rules below choose the file, but errors that
# Apache itself detects get the file for 404.
ErrorDocument 404 ${base}/${errorPath("not-found")}
<IfModule mod_setenvif.c>
    SetEnvIf Request_URI ^ MIRRORFEED_ERROR=not-found MIRRORFEED_MISSING=json
    ErrorDocument 404 ${base}/errors/not-found.%{reqenv:MIRRORFEED_MISSING}
</IfModule>
ErrorDocument 301 ${base}/%{reqenv:MIRRORFEED_FOLDER}/
ErrorDocument 400 ${base}/errors/%{reqenv:MIRRORFEED_ERROR}.json
ErrorDocument 403 ${base}/errors/%{reqenv:MIRRORFEED_ERROR}.json
ErrorDocument 405 ${base}/${errorPath("method")}

<IfModule mod_deflate.c>
<IfModule mod_filter.c>
    AddOutputFilterByType DEFLATE application/atom+xml application/json application/manifest+json image/svg+xml text/calendar text/css text/html text/javascript text/plain text/xml
</IfModule>
</IfModule>

# Unset first, because a header that the server already sets would be sent twice.
<IfModule mod_headers.c>
    Header onsuccess unset Access-Control-Allow-Origin
    Header onsuccess unset Cache-Control
    Header always set Access-Control-Allow-Origin "*"
    Header always set Cache-Control "${cacheControl}"
    Header always set Allow "GET, HEAD" "expr=%{REQUEST_STATUS} == 405"
    Header always merge Vary "Accept" "expr=%{REQUEST_STATUS} == 404"
    # Apache adds -gzip to the ETag of a compressed answer, but does not recognize it in a request.
    RequestHeader edit If-None-Match "-gzip\"" "\""
    # Redirects are relative, so that they work behind an HTTPS proxy. Apache can edit this header only because
    # ErrorDocument gives the 301 a body: the page itself.
    Header onsuccess edit Location "^[^?]*/([^/?]+/(?:\?.*)?)$" "./$1"
</IfModule>
`;
}

/**
 * Returns the rule that gives browsers a page instead of JSON if a path is missing. `start` is a pattern for the
 * beginning of every path in the site.
 */
function pageIfMissing(start: string): string {
  return String.raw`# For a 404, browsers get a page and other clients get JSON.
RewriteCond %{HTTP:Accept} text/html [NC,NV]
RewriteRule (?s)${start}${pagePattern} - [E=MIRRORFEED_MISSING:html]`;
}

/**
 * Returns the rules for the contract's errors. The error depends on the first level of the path that has no document.
 * `start` is a pattern for the beginning of every path in the site, and `folder` is the site's folder on disk, with a
 * final slash.
 */
function levels(start: string, folder: string): string {
  const unknown = ["system", "project", "target"].map((level, above) => {
    const names = Array<string>(above + 1).fill("[^/]+");
    return `RewriteCond ${folder}${networkRoot}/$1/index.json !-f
RewriteRule (?s)${start}${networkRoot}/(${names.join("/")})(?:/.*)?\\z - [E=MIRRORFEED_ERROR:${level},R=403,L]`;
  });
  return String.raw`# The error names the first level (system, project or target) without a document. (?s) and \z allow for line feeds in names.
${unknown.join("\n")}
RewriteCond ${folder}${networkRoot}/$1/index.json !-f
RewriteRule (?s)${start}${networkRoot}/([^/]+/[^/]+/[^/]+/.+?)/?\z - [E=MIRRORFEED_ERROR:status,R=400,L]`;
}

function socketOf(address: string, port: number): string {
  if (/^[\w.:*-]+$/.test(address)) return hostAndPort(address, port);
  throw new InputError(`Apache cannot listen on ${quote(address)}; give an address such as 127.0.0.1.`);
}
